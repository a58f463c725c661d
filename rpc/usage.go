package rpc

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/ledger"
	"github.com/agent-sidecar/agent-sidecar/session/store"
)

type usageParams struct {
	By    ledger.By `json:"by"`
	Since string    `json:"since"`
	Until string    `json:"until"`
}

func (p *usageParams) Check() error {
	for name, day := range map[string]string{"since": p.Since, "until": p.Until} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return wire.InvalidParams(name, "is not a day like 2026-11-27")
		}
	}
	return oneOf("by", p.By, usageBy)
}

type usageResult struct {
	By    ledger.By  `json:"by"`
	Since string     `json:"since"`
	Until string     `json:"until"`
	Rows  []usageRow `json:"rows"`
	Total spentSum   `json:"total"`
	// Broken counts lines of the files that nobody can read.
	Broken int `json:"broken"`
	// Text is all of it as a page in Markdown, in the client's language.
	Text string `json:"text"`
}

type usageRow struct {
	Name      string `json:"name"`
	Workspace string `json:"workspace,omitempty"`
	Title     string `json:"title,omitempty"`
	spentSum
}

// spentSum is a sum of answers.
type spentSum struct {
	InputTokens      int64 `json:"inputTokens"`
	OutputTokens     int64 `json:"outputTokens"`
	CachedTokens     int64 `json:"cachedTokens"`
	CacheWriteTokens int64 `json:"cacheWriteTokens"`
	// UnpricedTokens are those whose cost nobody knows; they are in no cost.
	UnpricedTokens int64         `json:"unpricedTokens,omitempty"`
	Cost           *history.Cost `json:"cost,omitempty"`
	dollars        string        // Cost for people
}

func spentOf(s ledger.Sum) spentSum {
	out := spentSum{s.Input, s.Output, s.Cached, s.Written, s.Unpriced, nil, s.Dollars()}
	if out.dollars != "" {
		out.Cost = &history.Cost{Amount: s.Cost, Currency: "USD", Estimated: s.Estimated}
	}
	return out
}

// spendings says what was spent in this home.
type spendings struct {
	*link
	ledger *ledger.Ledger
	store  *store.Store
	// workspace is that of the sessions in store.
	workspace Folders
}

func (s *spendings) usage(_ context.Context, _ *wire.Call, p usageParams) (usageResult, error) {
	if p.By == "" {
		p.By = ledger.ByDay
	}
	today := s.ledger.Today()
	if p.Until == "" {
		p.Until = max(today, p.Since)
	}
	if p.Since == "" {
		p.Since = p.Until[:len("2026-11-")] + "01"
	}
	table, err := s.ledger.Table(p.By, p.Since, p.Until)
	if err != nil {
		return usageResult{}, fmt.Errorf("read the usage: %w", err)
	}
	out := usageResult{By: p.By, Since: p.Since, Until: p.Until, Rows: []usageRow{}, Total: spentOf(table.Total), Broken: table.Broken}
	titles := s.titles(p.By)
	for _, row := range table.Rows {
		title := ""
		if row.Workspace == s.workspace.WorkspaceID() {
			title = titles[row.Name]
		}
		out.Rows = append(out.Rows, usageRow{row.Name, row.Workspace, title, spentOf(row.Sum)})
	}
	out.Text = usagePage(s.client.Locale, out, table)
	return out, nil
}

// titles are those of the sessions of this workspace; others go by their ids.
func (s *spendings) titles(by ledger.By) map[string]string {
	titles := map[string]string{}
	if by != ledger.BySession {
		return titles
	}
	all, err := s.store.List(store.Query{})
	if err != nil {
		s.Report("titles of the usage", err)
	}
	for _, i := range all {
		titles[i.ID] = i.Title
	}
	return titles
}

// usagePage is a table in Markdown; t has the rows of out.
func usagePage(lang string, out usageResult, t ledger.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s – %s\n\n", locale.UsageTitle.In(lang), out.Since, out.Until)
	if len(t.Rows) == 0 {
		b.WriteString(locale.UsageNone.In(lang) + "\n")
	} else {
		fmt.Fprintf(&b, "| %s |\n| --- | ---: | ---: | ---: | ---: | ---: |\n", strings.Join(UsageHead(lang, out.By), " | "))
		for i, row := range t.Rows {
			fmt.Fprintf(&b, "| %s | %s |\n", cell(strings.TrimSpace(row.Name+" "+out.Rows[i].Title)), strings.Join(row.Cells(), " | "))
		}
		fmt.Fprintf(&b, "| **%s** | %s |\n", locale.UsageTotal.In(lang), strings.Join(t.Total.Cells(), " | "))
	}
	for _, note := range locale.UsageNotes(lang, t.Total.Estimated, t.Total.Unpriced, t.Broken) {
		b.WriteString("\n" + note + "\n")
	}
	return b.String()
}

// UsageHead are the titles of the columns of a table of usage.
func UsageHead(lang string, by ledger.By) []string {
	rows := map[ledger.By]locale.Message{ledger.ByDay: locale.UsageDay, ledger.ByModel: locale.UsageModel, ledger.BySession: locale.UsageSession}
	return locale.UsageHead(lang, rows[by])
}

// cell is a text that ends no cell and begins no markup.
func cell(text string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "<", "&lt;", "[", `\[`, "*", `\*`, "_", `\_`).Replace(string(surface.Line(text, 200)))
}

// showUsage says to a client without a view of its own what was spent, in one sentence,
// and answers with all of it.
func (s *commands) showUsage(ctx context.Context, c *wire.Call, p usageParams) (usageResult, error) {
	out, err := s.usage(ctx, c, p)
	if err == nil && !s.surfaces.Plugin {
		cost := locale.UsageUnknown.In(s.client.Locale)
		if out.Total.Cost != nil {
			cost = out.Total.dollars
		}
		s.surfaces.Say(surface.MessageInfo, surface.Message(locale.UsageSaid.In(s.client.Locale, out.Since, out.Until, out.Total.InputTokens, out.Total.CachedTokens, out.Total.OutputTokens, cost)))
	}
	return out, err
}
