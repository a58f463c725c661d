package signin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// s256 is the one way in which a code is bound to who asked for it: the other one shows it.
const s256 = "S256"

// Asking is how a person is asked to sign in.
type Asking struct {
	// Show is handed the address that a browser has to open. An error ends the sign-in.
	Show func(address string) error
	// Page is the text of the page at the end, in the person's language.
	Page func(accepted bool) Page
}

// SignIn signs in because a person asked for it: it waits until they have been to the address
// that Show is given, five minutes at most. Who was signed in before stays so if it fails.
func (k *Keeper) SignIn(ctx context.Context, s Server, ask Asking) error {
	c, release := client(s)
	defer release()
	found, err := discover(ctx, c, s)
	if err != nil {
		return err
	}
	land, err := listen(s.ClientID != "", ask.Page)
	if err != nil {
		return err
	}
	defer land.close()
	r, err := k.introduce(ctx, c, s, found, land.address)
	if err != nil {
		return err
	}
	verifier := oauth2.GenerateVerifier()
	config := oauth2.Config{
		ClientID: r.ClientID, ClientSecret: k.secretOf(s, r), RedirectURL: land.address, Scopes: r.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: found.meta.AuthorizationEndpoint, TokenURL: r.TokenEndpoint, AuthStyle: r.Style},
	}
	resource := oauth2.SetAuthURLParam("resource", r.Resource)
	if err := ask.Show(config.AuthCodeURL(land.state, oauth2.S256ChallengeOption(verifier), resource)); err != nil {
		return err
	}
	got, err := land.wait(ctx, k.after(mostWait))
	if err != nil {
		return err
	}
	if err := sameIssuer(got.issuer, found.meta); err != nil {
		return err
	}
	t, err := config.Exchange(through(ctx, c), got.code, oauth2.VerifierOption(verifier), resource)
	if err != nil {
		return fmt.Errorf("the server gave no token: %w", worded(err))
	}
	if err := r.take(t); err != nil {
		return err
	}
	return k.locked(s, func() error { return k.write(s, r) })
}

// found is who signs people in for a server.
type found struct {
	resource string
	scopes   []string
	meta     *oauthex.AuthServerMeta
}

// discover finds out who signs people in: the server says it, or is it itself.
func discover(ctx context.Context, c *http.Client, s Server) (*found, error) {
	said, err := asked(ctx, c, s.URL)
	if err != nil {
		return nil, err
	}
	about, err := protected(ctx, c, s.URL, said["resource_metadata"])
	if err != nil {
		return nil, err
	}
	meta, err := auth.GetAuthServerMetadata(ctx, about.AuthorizationServers[0], c)
	if err != nil {
		return nil, fmt.Errorf("what %.200q says of itself cannot be used: %w", about.AuthorizationServers[0], err)
	}
	if meta == nil {
		return nil, fmt.Errorf("%.200q does not say how it signs people in", about.AuthorizationServers[0])
	}
	if !slices.Contains(meta.CodeChallengeMethodsSupported, s256) {
		return nil, fmt.Errorf("%.200q does not support PKCE with %s, which keeps others from using your sign-in", meta.Issuer, s256)
	}
	for _, address := range []string{meta.AuthorizationEndpoint, meta.TokenEndpoint} {
		if err := fitText(address, local(s.URL)); err != nil {
			return nil, err
		}
	}
	f := &found{resource: about.Resource, meta: meta, scopes: s.Scopes}
	if f.scopes == nil {
		f.scopes = strings.Fields(said["scope"])
	}
	if f.scopes == nil || s.Scopes == nil && len(f.scopes) == 0 {
		f.scopes = slices.Clone(about.ScopesSupported)
	}
	if s.Scopes == nil && slices.Contains(meta.ScopesSupported, offline) && !slices.Contains(f.scopes, offline) {
		f.scopes = append(f.scopes, offline)
	}
	return f, nil
}

// offline is the scope under which some servers give refresh tokens.
const offline = "offline_access"

// asked is what the server answers to a request without a token.
func asked(ctx context.Context, c *http.Client, address string) (map[string]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := c.Do(req)
	if err != nil {
		return nil, fmt.Errorf("the server cannot be reached: %w", err)
	}
	defer resp.Body.Close()
	return challenge(resp), nil
}

// protected is what a server says of who signs people in for it. One that says nothing is
// asked itself.
func protected(ctx context.Context, c *http.Client, address, named string) (*oauthex.ProtectedResourceMetadata, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	root := url.URL{Scheme: u.Scheme, Host: u.Host}
	known := root
	known.Path = "/.well-known/oauth-protected-resource"
	here := known
	here.Path += "/" + strings.TrimLeft(u.Path, "/")
	type place struct{ at, of string }
	places := []place{{here.String(), address}, {known.String(), root.String()}}
	if named != "" {
		// Where the server itself names the place, what is there must be about it.
		places = []place{{named, address}, {named, root.String()}}
	}
	var why error
	for _, p := range places {
		about, err := oauthex.GetProtectedResourceMetadata(ctx, p.at, p.of, c)
		if err == nil && about != nil && len(about.AuthorizationServers) > 0 {
			return about, nil
		}
		why = cmp.Or(why, err, errNobody)
	}
	if named != "" {
		return nil, fmt.Errorf("what the server says of who signs people in cannot be used: %w", why)
	}
	return &oauthex.ProtectedResourceMetadata{Resource: address, AuthorizationServers: []string{root.String()}}, nil
}

var errNobody = errors.New("it names nobody")

// introduce says who we are: as configured, or by a registration that is for this sign-in alone.
func (k *Keeper) introduce(ctx context.Context, c *http.Client, s Server, f *found, address string) (*record, error) {
	r := &record{
		Server: s.Name, URL: s.URL, Issuer: f.meta.Issuer, Resource: f.resource, Scopes: f.scopes,
		TokenEndpoint: f.meta.TokenEndpoint, RevocationEndpoint: f.meta.RevocationEndpoint, ClientID: s.ClientID,
	}
	if s.ClientID != "" {
		r.Style = styleOf(f.meta.TokenEndpointAuthMethodsSupported, k.secretOf(s, r) != "")
		return r, nil
	}
	if f.meta.RegistrationEndpoint == "" {
		return nil, fmt.Errorf("%.200q registers no programs: register agent-sidecar there, with the redirect address http://127.0.0.1%s, and set mcp.%s.oauth.clientId", f.meta.Issuer, fixedPath, s.Name)
	}
	made, err := oauthex.RegisterClient(ctx, f.meta.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		ClientName: "agent-sidecar", ApplicationType: "native", TokenEndpointAuthMethod: "none", RedirectURIs: []string{address},
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, Scope: strings.Join(f.scopes, " "),
	}, c)
	if refusal, is := errors.AsType[*oauthex.ClientRegistrationError](err); is && plainCode(refusal.ErrorCode) {
		return nil, fmt.Errorf("%.200q does not register agent-sidecar: %s", f.meta.Issuer, refusal.ErrorCode)
	}
	if err != nil {
		return nil, fmt.Errorf("%.200q does not register agent-sidecar; set mcp.%s.oauth.clientId if you have one", f.meta.Issuer, s.Name)
	}
	r.ClientID, r.ClientSecret = made.ClientID, made.ClientSecret
	r.Style = styleOf([]string{cmp.Or(made.TokenEndpointAuthMethod, "none")}, made.ClientSecret != "")
	return r, nil
}

// styleOf is how a client says who it is. Nothing is tried out: a code is good for one try.
func styleOf(methods []string, secret bool) oauth2.AuthStyle {
	if !secret || slices.Contains(methods, "client_secret_post") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

// sameIssuer holds that the answer is of the one who was asked, where it says so.
func sameIssuer(said string, meta *oauthex.AuthServerMeta) error {
	if said == "" && !meta.AuthorizationResponseIssParameterSupported || said == meta.Issuer {
		return nil
	}
	return errors.New("the answer is of another server than the one that was asked")
}

// SignOut forgets every sign-in of a server, also those of former addresses, and tells those
// who gave the tokens. They are forgotten in any case; told is why somebody may not know.
func (k *Keeper) SignOut(ctx context.Context, s Server) (signedIn bool, told, err error) {
	var gone []record
	for _, path := range k.files() {
		r, err := readRecord(path)
		if err == nil && r.Server == s.Name {
			gone = append(gone, *r)
		}
	}
	of := []Server{s}
	for _, r := range gone {
		if r.URL != s.URL {
			old := s
			old.URL = r.URL
			of = append(of, old)
		}
	}
	for _, one := range of {
		err = errors.Join(err, k.locked(one, func() error { return k.Disk.Remove(k.path(one)) }))
	}
	for _, r := range gone {
		told = errors.Join(told, k.revoke(ctx, s, &r))
	}
	return len(gone) > 0, told, err
}

// revoke tells a server that a sign-in is over.
func (k *Keeper) revoke(ctx context.Context, s Server, r *record) error {
	if r.RevocationEndpoint == "" {
		return nil
	}
	s.URL = r.URL
	c, release := client(s)
	defer release()
	form := url.Values{"token": {cmp.Or(r.RefreshToken, r.AccessToken)}}
	secret := k.secretOf(s, r)
	if r.Style == oauth2.AuthStyleInParams {
		form.Set("client_id", r.ClientID)
		if secret != "" {
			form.Set("client_secret", secret)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.RevocationEndpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if r.Style != oauth2.AuthStyleInParams {
		req.SetBasicAuth(url.QueryEscape(r.ClientID), url.QueryEscape(secret))
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	if resp.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("the server answered %d", resp.StatusCode)
	}
	return nil
}
