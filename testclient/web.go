package testclient

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// webPage is one of them. A section that begins with a line "HTTP <status>" goes
// on with header lines and a blank line; Repeat: n sends its body n times.
type webPage struct {
	status int
	header http.Header
	body   string
	repeat int
}

func parseWebPage(name, text string) (webPage, error) {
	p := webPage{status: http.StatusOK, header: http.Header{}, body: text, repeat: 1}
	switch path.Ext(name) {
	case ".html":
		p.header.Set("Content-Type", "text/html; charset=utf-8")
	case ".json":
		p.header.Set("Content-Type", "application/json")
	default:
		p.header.Set("Content-Type", "text/plain; charset=utf-8")
	}
	rest, given := strings.CutPrefix(text, "HTTP ")
	if !given {
		return p, nil
	}
	head, body, _ := strings.Cut(rest, "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	var err error
	if p.status, err = strconv.Atoi(lines[0]); err != nil {
		return p, fmt.Errorf("section %s: the status %q is not a number", name, lines[0])
	}
	for _, line := range lines[1:] {
		key, value, found := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch {
		case !found:
			return p, fmt.Errorf("section %s: %q is no header", name, line)
		case key == "Repeat":
			if p.repeat, err = strconv.Atoi(value); err != nil {
				return p, fmt.Errorf("section %s: Repeat: %s is no number", name, value)
			}
		default:
			p.header.Set(key, value)
		}
	}
	p.body = body
	return p, nil
}

// serveWeb serves the pages of a real-time conversation and gives the address;
// "" where there are none. stop ends it.
func (p *player) serveWeb() (address string, stop func(), err error) {
	pages := map[string]webPage{}
	for _, f := range p.c.archive.files {
		name, is := strings.CutPrefix(f.name, webSections)
		if !is {
			continue
		}
		if pages["/"+name], err = parseWebPage(f.name, f.data); err != nil {
			return "", nil, err
		}
	}
	if len(pages) == 0 {
		return "", func() {}, nil
	}
	if p.o.Settle != nil {
		return "", nil, fmt.Errorf("sections %s… need a real network: mark the conversation realtime", webSections)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address = "http://" + l.Addr().String()
	expand := strings.NewReplacer("$WEBHOST", l.Addr().String(), "$WEB", address)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, known := pages[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		for key, values := range page.header {
			w.Header().Set(key, expand.Replace(values[0]))
		}
		w.WriteHeader(page.status)
		body := expand.Replace(page.body)
		for range page.repeat {
			if _, err := io.WriteString(w, body); err != nil {
				return // who asked has gone
			}
		}
	})}
	served := make(chan struct{})
	go func() {
		defer close(served)
		server.Serve(l)
	}()
	return address, func() { server.Close(); <-served }, nil
}
