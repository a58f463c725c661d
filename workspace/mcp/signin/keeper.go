package signin

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
)

// Server is an address that may want a sign-in.
type Server struct {
	Name, URL string
	// ClientID is this program as the server knows it; "" registers it with each sign-in.
	ClientID string
	// ClientSecretEnv is the variable that holds the secret which belongs to ClientID, "" for none.
	ClientSecretEnv string
	Scopes          []string // nil: those that the server names
	Network         outbound.Settings
}

// Keeper keeps the tokens of servers, each in a file of its own below Home. The methods are
// safe for concurrent use, by several processes of one home too.
type Keeper struct {
	Home string // the sidecar's; "" keeps nothing
	Disk *durable.Disk
	Env  func(name string) string // nil: no variables
	// After is the clock of those who wait for a person; nil is the system's.
	After func(time.Duration) <-chan time.Time
}

// NeededError says that a server wants a sign-in that only a person can do.
type NeededError struct {
	Server string
	Why    string // "" where nobody has signed in yet
}

// Error says what to do.
func (e *NeededError) Error() string {
	what := "it needs you to sign in"
	if e.Why != "" {
		what += " (" + e.Why + ")"
	}
	return what + ": run agent-sidecar mcp login " + e.Server + ", or use Sign in of the editor"
}

const (
	folder = "mcp-tokens"
	// mostRecord is more than a file of tokens has, in bytes.
	mostRecord = 256 << 10
	// early is how long before its end a token is no longer used: a request takes time.
	early = 30 * time.Second
)

// record is what is kept of a sign-in. It is for the server and the address in it alone.
type record struct {
	Server             string           `json:"server"`
	URL                string           `json:"url"`
	Issuer             string           `json:"issuer"`
	Resource           string           `json:"resource"`
	TokenEndpoint      string           `json:"tokenEndpoint"`
	RevocationEndpoint string           `json:"revocationEndpoint,omitempty"`
	ClientID           string           `json:"clientId"`
	ClientSecret       string           `json:"clientSecret,omitempty"` // of a registration; a configured one is in its variable
	Style              oauth2.AuthStyle `json:"style"`
	Scopes             []string         `json:"scopes,omitempty"`
	AccessToken        string           `json:"accessToken"`
	RefreshToken       string           `json:"refreshToken,omitempty"`
	Expires            time.Time        `json:"expires,omitzero"` // zero: nobody said
}

// fresh says that the access token can be used now.
func (r *record) fresh() bool {
	return r.AccessToken != "" && (r.Expires.IsZero() || time.Now().Before(r.Expires.Add(-early)))
}

// path is the file of a server. Another address of the same name is another file.
func (k *Keeper) path(s Server) string {
	sum := sha256.Sum256([]byte(s.Name + "\x00" + s.URL))
	return filepath.Join(k.Home, folder, s.Name+"-"+hex.EncodeToString(sum[:8])+".json")
}

// read is what is kept of a server, nil for nothing. What does not belong to it, or could
// have been read by others, is an error.
func (k *Keeper) read(s Server) (*record, error) {
	if k.Home == "" {
		return nil, nil
	}
	r, err := readRecord(k.path(s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &NeededError{s.Name, err.Error()}
	}
	if r.Server != s.Name || r.URL != s.URL {
		return nil, &NeededError{s.Name, "its tokens are of another server"}
	}
	if s.ClientID != "" && s.ClientID != r.ClientID {
		return nil, &NeededError{s.Name, "clientId has changed"}
	}
	return r, nil
}

func readRecord(path string) (*record, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(folder, filepath.Base(path))
	if !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s may have been read by others, mode %v", name, info.Mode())
	}
	text, err := durable.ReadFile(path, mostRecord)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read", name)
	}
	var r record
	if json.Unmarshal(text, &r) != nil {
		return nil, fmt.Errorf("%s is broken", name)
	}
	return &r, nil
}

// write replaces what is kept of a server. The caller holds its lock.
func (k *Keeper) write(s Server, r *record) error {
	path := k.path(s)
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	// A file that is replaced keeps its mode, and only one of mode 0600 may.
	if info, err := os.Lstat(path); err == nil && info.Mode() != 0o600 {
		if err := k.Disk.Remove(path); err != nil {
			return err
		}
	}
	return k.Disk.WriteFile(path, append(text, '\n'), 0o600)
}

// locked runs f while nobody else changes what is kept of a server. A holder may be asking
// the server for a token, which is bounded by exchangeWait.
func (k *Keeper) locked(s Server, f func() error) error {
	if k.Home == "" {
		return errors.New("there is no home to keep tokens in")
	}
	if err := k.Disk.MkdirAll(filepath.Join(k.Home, folder), 0o700); err != nil {
		return err
	}
	lock, err := k.Disk.Lock(k.path(s) + ".lock")
	if err != nil {
		return err
	}
	return errors.Join(f(), lock.Close())
}

// secretOf is the secret of the client that signed in.
func (k *Keeper) secretOf(s Server, r *record) string {
	if s.ClientID == "" || s.ClientSecretEnv == "" || k.Env == nil {
		return r.ClientSecret
	}
	return cmp.Or(k.Env(s.ClientSecretEnv), r.ClientSecret)
}

// SignedIn says that there are tokens for the server at exactly its address.
func (k *Keeper) SignedIn(s Server) bool {
	r, err := k.read(s)
	return err == nil && r != nil
}

// Secrets are all tokens and secrets that are kept, for those who keep them out of texts.
func (k *Keeper) Secrets() []string {
	var all []string
	for _, path := range k.files() {
		r, err := readRecord(path)
		if err != nil {
			continue
		}
		for _, secret := range []string{r.AccessToken, r.RefreshToken, r.ClientSecret} {
			if secret != "" {
				all = append(all, secret)
			}
		}
	}
	return all
}

// files are those of all servers.
func (k *Keeper) files() []string {
	if k.Home == "" {
		return nil
	}
	entries, err := os.ReadDir(filepath.Join(k.Home, folder))
	if err != nil {
		return nil
	}
	var all []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") {
			all = append(all, filepath.Join(k.Home, folder, e.Name()))
		}
	}
	return all
}
