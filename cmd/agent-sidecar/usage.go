package main

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session/ledger"
)

// spentIn are the flags of usage.
type spentIn struct {
	day, month bool
	since      string
	by         string
}

// usage says what was spent in this home: by day, model or session, since the beginning of
// the month, today, or since a day. It reads one file a month and changes nothing.
func usage(p *program, _ []string) int {
	l := ledger.Open(nil, p.home, time.Now)
	if p.spentIn.several() {
		return p.misused("usage: --day, --month or --since, not several of them")
	}
	since, until, ok := p.spentIn.days(l.Today())
	if !ok {
		return p.misused("usage: --since is a day like 2026-11-27, not %q", p.spentIn.since)
	}
	by := ledger.By(p.spentIn.by)
	if p.spentIn.by == "" {
		by = ledger.ByDay
	}
	if !slices.Contains([]ledger.By{ledger.ByDay, ledger.ByModel, ledger.BySession}, by) {
		return p.misused("usage: --by is day, model or session, not %q", p.spentIn.by)
	}
	table, err := l.Table(by, since, until)
	if err != nil {
		return p.fail("%v", err)
	}
	if p.json {
		return showJSON(p, by, since, until, table)
	}
	rows := [][]shown{allShown(rpc.UsageHead(p.locale(), by))}
	for _, row := range table.Rows {
		rows = append(rows, append([]shown{title(row.Name, 100)}, allShown(row.Cells())...))
	}
	rows = append(rows, append([]shown{title(locale.UsageTotal.In(p.locale()), 0)}, allShown(table.Total.Cells())...))
	out := aligned(rows)
	if len(table.Rows) == 0 {
		out = title(locale.UsageNone.In(p.locale()), 0) + "\n"
	}
	for _, note := range locale.UsageNotes(p.locale(), table.Total.Estimated, table.Total.Unpriced, table.Broken) {
		out += title(note, 0) + "\n"
	}
	return p.show(out)
}

func allShown(texts []string) []shown {
	out := make([]shown, len(texts))
	for i, t := range texts {
		out[i] = title(t, 0)
	}
	return out
}

// several says that the flags do not go together.
func (s spentIn) several() bool {
	return s.day && s.month || s.since != "" && (s.day || s.month)
}

// days are the first and the last one that are meant; ok is false where the first is none.
func (s spentIn) days(today string) (since, until string, ok bool) {
	switch {
	case s.day:
		return today, today, true
	case s.since == "":
		return today[:len("2026-11-")] + "01", today, true
	}
	_, err := time.Parse(time.DateOnly, s.since)
	return s.since, max(today, s.since), err == nil
}

// showJSON is the table for programs.
func showJSON(p *program, by ledger.By, since, until string, t ledger.Table) int {
	type row struct {
		Name      string `json:"name"`
		Workspace string `json:"workspace,omitempty"`
		ledger.Sum
	}
	out := struct {
		By     ledger.By  `json:"by"`
		Since  string     `json:"since"`
		Until  string     `json:"until"`
		Rows   []row      `json:"rows"`
		Total  ledger.Sum `json:"total"`
		Broken int        `json:"broken"`
	}{by, since, until, []row{}, t.Total, t.Broken}
	for _, r := range t.Rows {
		out.Rows = append(out.Rows, row{r.Name, r.Workspace, r.Sum})
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return p.fail("%v", err)
	}
	return p.show(lines(string(text) + "\n"))
}
