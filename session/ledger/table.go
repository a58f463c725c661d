package ledger

import (
	"cmp"
	"slices"
	"strconv"
)

// By is what a row of a table is about.
type By string

// What there are rows of.
const (
	ByDay     By = "day"
	ByModel   By = "model"
	BySession By = "session"
)

// Row is one row of a table.
type Row struct {
	Name string // the day, "provider/model", or the id of a session
	// Workspace is that of a session.
	Workspace string
	// Last is the last day of it.
	Last string
	Sum
}

// Table is the usage of some days.
type Table struct {
	Rows  []Row // days: newest first; others: what has cost most first
	Total Sum
	// Broken counts the lines of the files that are none and were left out.
	Broken int
}

// Table adds up the days from since to until, both included.
func (l *Ledger) Table(by By, since, until string) (Table, error) {
	rows := map[[2]string]*Row{}
	var t Table
	broken, err := l.Each(since, until, func(e Entry) {
		key := [2]string{"", e.Day}
		switch by {
		case ByModel:
			key[1] = e.Model
			if e.Provider != "" {
				key[1] = e.Provider + "/" + e.Model
			}
		case BySession:
			key = [2]string{e.Workspace, e.Session}
		}
		row := rows[key]
		if row == nil {
			row = &Row{Name: key[1], Workspace: key[0]}
			rows[key] = row
		}
		row.Last = max(row.Last, e.Day)
		row.Sum = row.Sum.Plus(e.Sum)
		t.Total = t.Total.Plus(e.Sum)
	})
	t.Broken = broken
	for _, row := range rows {
		t.Rows = append(t.Rows, *row)
	}
	slices.SortFunc(t.Rows, func(a, b Row) int {
		if by == ByDay {
			return cmp.Compare(b.Name, a.Name)
		}
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Tokens(), a.Tokens()), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Workspace, b.Workspace))
	})
	return t, err
}

// Cells are the numbers of a row for people: input, of it cached and written to the cache,
// output, cost.
func (s Sum) Cells() []string {
	return []string{strconv.FormatInt(s.Input, 10), strconv.FormatInt(s.Cached, 10), strconv.FormatInt(s.Written, 10), strconv.FormatInt(s.Output, 10), cmp.Or(s.Dollars(), "–")}
}
