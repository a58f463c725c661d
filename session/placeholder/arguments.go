package placeholder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-sidecar/agent-sidecar/control/secrets"
)

// RedactJSON hides the secrets in the strings of a JSON text, names of members too.
// source is where they come from, "" nowhere. What is no JSON is hidden as text.
func (b *Redactor) RedactJSON(raw json.RawMessage, source string) json.RawMessage {
	return b.redactJSON(raw, func(text string) string { return b.RedactAgainFrom(text, source) })
}

func (b *Redactor) redactJSON(raw json.RawMessage, hide func(string) string) json.RawMessage {
	if bytes.IndexByte(raw, '\\') < 0 && len(secrets.Shapes(string(raw))) == 0 && !b.knowsBare(raw) {
		return raw // no string in it says anything else than what is here
	}
	changed := false
	out, err := eachString(raw, func(_ string, text string) (string, error) {
		hidden := hide(text)
		changed = changed || hidden != text
		return hidden, nil
	})
	switch {
	case err != nil:
		return json.RawMessage(hide(string(raw)))
	case !changed:
		return raw
	}
	return out
}

// ErrPlaceholder says that a call uses a placeholder where it cannot be put
// back, ErrForgotten that nobody knows any more what is behind one.
var (
	ErrPlaceholder = errors.New("contains a secret placeholder")
	ErrForgotten   = errors.New("contains a secret placeholder whose secret is not known any more")
)

// Restore puts secrets into the arguments of a call where their placeholders may
// stand: in the members contents, and, where they come from the source own, which
// is what the model has written itself, anywhere. toProve are those for which the
// caller must still see that the call goes to nothing but the files they came from.
// Arguments without placeholders come back as they are.
func (b *Redactor) Restore(input json.RawMessage, contents []string, own string) (out json.RawMessage, toProve []string, err error) {
	if !bytes.Contains(input, []byte("secret:")) && !bytes.Contains(input, []byte(`\u`)) {
		return input, nil, nil
	}
	found := false
	out, err = eachString(input, func(member, text string) (string, error) {
		if half := nameless().FindString(text); half != "" && slices.Contains(contents, member) {
			return "", fmt.Errorf("%w: %s stands for a secret of which only a part, or no number, is known, and cannot be put back; change only the text beside it with edit", ErrPlaceholder, half)
		}
		used := names(text)
		for _, name := range used {
			switch {
			case !b.Known(name):
				return "", fmt.Errorf("%w: %s; placeholders end with the process, so read the file again and use the new one", ErrForgotten, name)
			case own != "" && b.From(name, own):
			case !slices.Contains(contents, member):
				return "", fmt.Errorf("%w: %s stands for a secret, which is only put back into the file it came from, in the text of write, edit or apply_patch", ErrPlaceholder, name)
			case !slices.Contains(toProve, name):
				toProve = append(toProve, name)
			}
		}
		found = found || len(used) > 0
		return b.fill(text, used), nil
	})
	switch {
	case errors.Is(err, ErrPlaceholder), errors.Is(err, ErrForgotten):
		return nil, nil, err
	case err != nil || !found: // not JSON: anyone who decodes it says so
		return input, nil, nil
	}
	return out, toProve, nil
}

// eachString copies a JSON text, its strings and names as f gives them. member is
// the name of the outermost member that a string is in; "" for names.
func eachString(raw json.RawMessage, f func(member, text string) (string, error)) (json.RawMessage, error) {
	var out bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	enc := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	member := ""
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			if errors.Is(err, io.EOF) && out.Len() > 0 {
				return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
			}
			return nil, err
		}
		if tok.Kind() == '"' {
			kind, n := dec.StackIndex(dec.StackDepth())
			isName := kind == '{' && n%2 == 1
			where := member
			if isName {
				where = ""
				if dec.StackDepth() == 1 {
					member = tok.String()
				}
			}
			text, err := f(where, tok.String())
			if err != nil {
				return nil, err
			}
			tok = jsontext.String(text)
		} else {
			tok = tok.Clone()
		}
		if err := enc.WriteToken(tok); err != nil {
			return nil, err
		}
	}
}
