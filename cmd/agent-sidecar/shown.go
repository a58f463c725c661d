package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"text/tabwriter"
	"unicode/utf16"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// shown is text that is fit for a terminal: no escape sequence, control character
// or change of direction is in it, and no line break that whoever printed it did
// not mean. Files, tools, servers, sessions and models name themselves, so a plain
// string does not print: title, lines, escaped and showf make it visible first.
// Constants of this program are what they are.
type shown string

// title is text on one line, cut at max characters; max < 1 means no limit.
func title(text string, max int) shown { return shown(control.Title(text, max)) }

// lines is text with its line breaks and tabs.
func lines(text string) shown { return shown(control.Lines(text)) }

// showf formats. Every argument is made visible on one line; what is shown already
// stays as it is.
func showf(format shown, args ...any) shown {
	visible := make([]any, len(args))
	for i, a := range args {
		visible[i] = argument(a)
	}
	return shown(fmt.Sprintf(string(format), visible...))
}

// argument is a value that formats to nothing invisible, whatever the verb.
func argument(a any) any {
	switch a := a.(type) {
	case shown:
		return string(a)
	case string:
		return control.Title(a, 0)
	case error:
		return control.Title(a.Error(), 0)
	case fmt.Stringer:
		return control.Title(a.String(), 0)
	}
	switch v := reflect.ValueOf(a); v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return v.Uint()
	case reflect.Float32, reflect.Float64:
		return v.Float()
	}
	return control.Title(fmt.Sprint(a), 0)
}

// inWords is a text for people in a language. Its arguments are made visible like those
// of showf, and sentences are put into that language.
func inWords(lang, form string, args ...any) shown {
	for i, a := range args {
		switch a := a.(type) {
		case said.Text:
			args[i] = locale.Say(lang, a)
		case error:
			args[i] = locale.Say(lang, because(a))
		}
	}
	return showf(shown(locale.Message(form).Form(lang)), args...)
}

// told is an error that is a sentence.
type told said.Text

func (t told) Error() string { return said.Text(t).String() }

// misuse is what was not understood of the command line.
type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

// isMisuse says that the command line is what is wrong.
func isMisuse(err error) bool {
	_, is := errors.AsType[misuse](err)
	return is
}

// because is an error as a sentence. Most have no words in other languages.
func because(err error) said.Text {
	switch err := err.(type) {
	case told:
		return said.Text(err)
	case *model.NotSetError:
		if err.Detail.IsZero() {
			return err.Message
		}
		return said.That("%s %s", err.Message, err.Detail)
	case misuse:
		return because(err.error)
	case *session.NotFoundError:
		return said.That("there is no session %q", err.SessionID)
	case interface{ Unwrap() []error }:
		if joined := err.Unwrap(); len(joined) == 1 {
			return because(joined[0])
		}
	}
	return said.Plain(err.Error())
}

// join puts a separator between texts.
func join(texts []shown, separator shown) shown {
	var b strings.Builder
	for i, t := range texts {
		if i > 0 {
			b.WriteString(string(separator))
		}
		b.WriteString(string(t))
	}
	return shown(b.String())
}

// aligned sets cells in columns, two blanks apart. A wide character takes two columns: a
// null, which nothing shown contains, is counted behind each of them.
func aligned(rows [][]shown) shown {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, wide.ReplaceAllString(string(join(row, "\t")), "$0\x00"))
	}
	_ = t.Flush() // into memory
	return shown(strings.ReplaceAll(b.String(), "\x00", ""))
}

// wide are the characters that terminals show on two columns: those of East Asia.
var wide = regexp.MustCompile(`[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}\x{3000}-\x{303f}\x{ff01}-\x{ff60}]`)

// visibleJSON indents JSON and writes what cannot be seen as escapes, so that it
// says the same to a program and hides nothing from a person.
func visibleJSON(raw json.RawMessage) shown {
	var indented bytes.Buffer
	if json.Indent(&indented, raw, "", "  ") != nil {
		indented.Reset()
		indented.Write(raw)
	}
	return escaped(indented.String() + "\n")
}

// escaped writes what cannot be seen in lines of JSON as escapes of JSON.
func escaped(text string) shown {
	if control.Lines(text) == text {
		return shown(text)
	}
	var b strings.Builder
	for _, r := range text {
		if control.Lines(string(r)) == string(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return shown(b.String())
}

// screen is where people read: a terminal, or the file or program that output was
// sent on to. It takes nothing but what is shown.
type screen struct{ to io.Writer }

// say formats as showf does and writes. Where nobody reads any more, nobody is told.
func (s screen) say(format shown, args ...any) { _ = s.write(showf(format, args...)) }

func (s screen) write(text shown) error {
	_, err := io.WriteString(s.to, string(text))
	return err
}

// watched is an output that says when nobody reads it any more.
type watched struct {
	to     io.Writer
	unread func()
}

// Write implements io.Writer.
func (w watched) Write(b []byte) (int, error) {
	n, err := w.to.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		w.unread()
	}
	return n, err
}

// buffered is the screen through a buffer, which flush empties.
func (s screen) buffered() (through screen, flush func() error) {
	b := bufio.NewWriter(s.to)
	return screen{b}, b.Flush
}

// gather is all that f says.
func gather(f func(screen)) shown {
	var b strings.Builder
	f(screen{&b})
	return shown(b.String())
}
