package signin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// refused is how a server says that a refresh token is no longer good.
const refused = "invalid_grant"

// Handler gives requests to the server their token. It never signs in: where that is needed,
// requests fail with a NeededError, and needed is told, from any goroutine.
func (k *Keeper) Handler(s Server, needed func(error)) auth.OAuthHandler {
	return &handler{k: k, s: s, needed: needed}
}

type handler struct {
	k      *Keeper
	s      Server
	needed func(error)
}

// TokenSource implements auth.OAuthHandler.
func (h *handler) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	return &source{h, ctx}, nil
}

// source is asked for each request.
type source struct {
	h   *handler
	ctx context.Context // of the connection
}

// Token implements oauth2.TokenSource; nil is none.
func (t *source) Token() (*oauth2.Token, error) {
	r, err := t.h.k.current(t.ctx, t.h.s)
	if err != nil {
		return nil, t.h.told(err)
	}
	if r == nil {
		return nil, nil
	}
	return &oauth2.Token{AccessToken: r.AccessToken}, nil
}

// Authorize implements auth.OAuthHandler: the server has refused a request. A token that it
// does not take any more is replaced once.
func (h *handler) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	if resp.StatusCode == http.StatusForbidden {
		said := challenge(resp)
		if said["error"] != "insufficient_scope" {
			return nil // no matter of tokens: the answer says what it is
		}
		// What the sign-in covers still works, so that it stays.
		return fmt.Errorf("your sign-in does not cover this: set mcp.%s.oauth.scopes, with %.200q in it, and sign in again", h.s.Name, said["scope"])
	}
	_, used, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	if used == "" {
		return h.told(&NeededError{h.s.Name, ""})
	}
	_, err := h.k.refreshed(ctx, h.s, used)
	return h.told(err)
}

func (h *handler) told(err error) error {
	if _, is := errors.AsType[*NeededError](err); is {
		h.needed(err)
	}
	return err
}

// challenge is what a server says of how to sign in.
func challenge(resp *http.Response) map[string]string {
	all, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return nil
	}
	for _, c := range all {
		if c.Scheme == "bearer" {
			return c.Params
		}
	}
	return nil
}

// current is a sign-in whose token can be used, nil where nobody has signed in.
func (k *Keeper) current(ctx context.Context, s Server) (*record, error) {
	r, err := k.read(s)
	if err != nil || r == nil || r.fresh() {
		return r, err
	}
	return k.refreshed(ctx, s, r.AccessToken)
}

// refreshed replaces a token that is no longer good. Of several who find it so, one asks the server,
// and the others take what it was given.
func (k *Keeper) refreshed(ctx context.Context, s Server, used string) (r *record, err error) {
	err = k.locked(s, func() error {
		if r, err = k.read(s); err != nil {
			return err
		}
		if r == nil {
			return &NeededError{s.Name, "somebody has signed out"}
		}
		if r.AccessToken != used && r.fresh() {
			return nil
		}
		if r.RefreshToken == "" {
			return &NeededError{s.Name, "the last sign-in has ended"}
		}
		t, err := k.refresh(ctx, s, r)
		if answer, is := errors.AsType[*oauth2.RetrieveError](err); is && answer.ErrorCode == refused {
			return errors.Join(&NeededError{s.Name, "the last sign-in has ended"}, k.Disk.Remove(k.path(s)))
		}
		if err != nil {
			return fmt.Errorf("its sign-in cannot be renewed: %w", worded(err))
		}
		if err := r.take(t); err != nil {
			return err
		}
		return k.write(s, r)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// refresh asks for a new token. The grant of client credentials is the one of the library
// that takes further parameters and the kind of grant.
func (k *Keeper) refresh(ctx context.Context, s Server, r *record) (*oauth2.Token, error) {
	c, release := client(s)
	defer release()
	ask := clientcredentials.Config{
		ClientID: r.ClientID, ClientSecret: k.secretOf(s, r), TokenURL: r.TokenEndpoint, AuthStyle: r.Style,
		EndpointParams: url.Values{"grant_type": {"refresh_token"}, "refresh_token": {r.RefreshToken}, "resource": {r.Resource}},
	}
	return ask.Token(through(ctx, c))
}

// through lets package oauth2 ask with a client; it takes it from nowhere else.
func through(ctx context.Context, c *http.Client) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, c)
}

// take puts a new token into the record.
func (r *record) take(t *oauth2.Token) error {
	if kind := t.Type(); kind != "Bearer" {
		return fmt.Errorf("the server gave a token of the kind %.40q", kind)
	}
	if t.AccessToken == "" || strings.ContainsFunc(t.AccessToken, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return errors.New("the server gave a token that cannot be sent")
	}
	r.AccessToken = t.AccessToken
	if t.RefreshToken != "" {
		r.RefreshToken = t.RefreshToken
	}
	r.Expires = t.Expiry.UTC()
	return nil
}

// worded is an error of a token endpoint without the body of its answer, which may repeat a
// code or a token.
func worded(err error) error {
	answer, is := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !is:
		return err
	case plainCode(answer.ErrorCode):
		return fmt.Errorf("the server answered %s", answer.ErrorCode)
	case answer.Response != nil:
		return fmt.Errorf("the server answered %d", answer.Response.StatusCode)
	}
	return errors.New("the server refused")
}

// plainCode says that a text is the code of an error and nothing else.
func plainCode(code string) bool {
	return code != "" && len(code) <= 60 && strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") == ""
}
