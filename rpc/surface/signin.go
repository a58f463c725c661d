package surface

import "github.com/agent-sidecar/agent-sidecar/rpc/locale"

// Browse asks the editor to open an address in a browser, which a person has asked for. told
// hears whether it did; where no browser is opened by editors it is told at once.
func (s *Screen) Browse(address string, told func(opened bool)) {
	if !s.ShowDocument {
		told(false)
		return
	}
	var answer struct {
		Success bool `json:"success"`
	}
	then := func(err error) {
		if err != nil {
			s.Report("open an address", err)
		}
		told(answer.Success)
	}
	if err := s.request("window/showDocument", map[string]any{"uri": address, "external": true, "takeFocus": true}, &answer, then); err != nil {
		then(err)
	}
}

// OfferSignIn offers to sign in to an MCP server, where the client shows no list of them and
// can open a browser. Nothing is opened without a yes.
func (a *Asker) OfferSignIn(server string, signIn func()) {
	if a.Plugin || !a.MessageRequest || !a.ShowDocument {
		return
	}
	a.inTurn(func() {
		if !a.typing.waitQuiet(a.present) {
			return
		}
		items := []Shown{Message(locale.NotNow.In(a.Locale)), Message(locale.SignIn.In(a.Locale))}
		asked, err := a.Screen.askMessage(Message(locale.WantsSignIn.In(a.Locale, server)), items, "sign in "+server)
		if err != nil {
			return // the client is gone
		}
		title, done, err := chosen(asked)
		defer done()
		if err == nil && title == string(items[1]) {
			signIn()
		}
	})
}
