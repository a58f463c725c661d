package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient/oauthserver"
)

// lockedShell has a server that wants a sign-in, and one that is a program and does not start.
func lockedShell(t *testing.T, env ...string) (*shell, *oauthserver.Server) {
	t.Helper()
	server := oauthserver.New()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return newShell(t, fmt.Sprintf(`{"mcp": {"notes": {"url": %q}, "gone": {"command": ["/nowhere/server"]}}}`, server.MCP()), env...), server
}

// login starts a sign-in and gives the address that it prints.
func (s *shell) login(t *testing.T) (address string, out *bufio.Reader, end func(os.Signal) (code int, rest string)) {
	t.Helper()
	cmd := s.command(t, "mcp", "login", "notes")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }) // the code says it
	out = bufio.NewReader(pipe)
	for !strings.HasPrefix(address, "http") {
		if address, err = out.ReadString('\n'); err != nil {
			_ = cmd.Wait()
			t.Fatalf("it printed no address: %v", err)
		}
	}
	return strings.TrimSpace(address), out, func(how os.Signal) (int, string) {
		defer stuck.Stop()
		if how != nil {
			if err := cmd.Process.Signal(how); err != nil {
				t.Error(err)
			}
		}
		rest, _ := io.ReadAll(out)
		_ = cmd.Wait() // the code says it
		return cmd.ProcessState.ExitCode(), string(rest)
	}
}

// TestLogin: signing in from a terminal: interrupted and killed in the middle, done, listed, and
// undone. No token is on the screen.
func TestLogin(t *testing.T) {
	s, server := lockedShell(t)
	code, out, errs := s.run(t, "", "mcp")
	if code != 0 || !strings.Contains(out, "notes   needs sign-in") || !strings.Contains(out, "gone    does not run") || !strings.Contains(out, "mcp login notes") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
	address, _, end := s.login(t)
	if code, _ := end(os.Interrupt); code != exitCancelled {
		t.Errorf("interrupted: %d", code)
	}
	if _, _, err := oauthserver.Browse(address); err == nil {
		t.Error("somebody listens after the end")
	}
	_, _, end = s.login(t)
	end(os.Kill)

	address, _, end = s.login(t)
	if status, page, err := oauthserver.Browse(address); err != nil || status != 200 || !strings.Contains(page, "You can close this window.") {
		t.Errorf("%d %s %v", status, page, err)
	}
	if code, rest := end(nil); code != 0 || !strings.HasSuffix(rest, "Signed in to notes.\n") {
		t.Errorf("%d %s", code, rest)
	}
	code, out, errs = s.run(t, "", "mcp")
	if code != 0 || !strings.Contains(out, "notes   ready         1      yes") || strings.Contains(out+errs, "access-") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
	if code, out, _ := s.run(t, "", "mcp", "logout", "notes"); code != 0 || out != "Signed out of notes.\n" || server.Asked("POST /revoke") != 1 {
		t.Errorf("%d %s", code, out)
	}
	if code, out, _ := s.run(t, "", "mcp", "logout", "notes"); code != 0 || out != "Nobody was signed in to notes.\n" {
		t.Errorf("%d %s", code, out)
	}
}

// TestLoginSaysWhatIsWrong: what cannot be signed in to, and words that mean nothing.
func TestLoginSaysWhatIsWrong(t *testing.T) {
	s, server := lockedShell(t, "LANG=zh_CN.UTF-8")
	server.NoRegistration = true
	for _, row := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"mcp", "login", "notes"}, exitFailed, "mcp.notes.oauth.clientId"},
		{[]string{"mcp", "login", "gone"}, exitFailed, "it is a program"},
		{[]string{"mcp", "login", "nobody"}, exitFailed, "no server of that name"},
		{[]string{"mcp", "login"}, exitMisused, "login"},
		{[]string{"mcp", "list"}, exitMisused, "login"},
	} {
		if code, out, errs := s.run(t, "", row.args...); code != row.code || !strings.Contains(errs, row.want) || out != "" {
			t.Errorf("%v: %d %s%s", row.args, code, out, errs)
		}
	}
	if left, err := os.ReadDir(filepath.Join(s.home, ".agent-sidecar", "mcp-tokens")); err == nil && len(left) > 0 {
		t.Errorf("%v", left)
	}
}

// TestBrowser: nothing is opened where there is no screen.
func TestBrowser(t *testing.T) {
	for _, row := range []struct {
		system string
		env    string
		want   []string
	}{{"linux", "", nil}, {"linux", "DISPLAY", []string{"xdg-open"}}, {"freebsd", "WAYLAND_DISPLAY", []string{"xdg-open"}}, {"darwin", "", []string{"open"}}, {"windows", "", []string{"rundll32", "url.dll,FileProtocolHandler"}}} {
		if got := browser(row.system, func(name string) string { return map[string]string{row.env: ":0"}[name] }); !slices.Equal(got, row.want) {
			t.Errorf("%s %s: %q", row.system, row.env, got)
		}
	}
}
