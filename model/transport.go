package model

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// doer is the HTTPDoer under go-openai for one request. It completes the body
// (what go-openai's types cannot say is written by request.go), sets address
// and headers, keeps status, headers and body of an answer that is an error,
// and cleans the stream of one that is not.
type doer struct {
	client *http.Client
	url    *url.URL
	header http.Header
	body   pieces
	// keyName is the header that the key goes under, "" for Authorization.
	keyName string
	life    *idleTimer
	events  *eventReader // of the answer, once there is one
}

// statusError is an answer whose status is not 2xx.
type statusError struct {
	status int
	header http.Header
	body   string
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d", e.status) }

// Do implements openai.HTTPDoer.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	req.URL, req.Host = d.url, d.url.Host
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(d.body.reader()), nil }
	req.Body, _ = req.GetBody()
	req.ContentLength = int64(d.body.size())
	req.Header.Del("Connection")
	key := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	setKey(req.Header, d.keyName, key)
	for name, values := range d.header {
		req.Header[name] = values
	}
	d.life.startClock()
	resp, err := d.client.Do(req)
	d.life.stopClock()
	if err != nil {
		return nil, err
	}
	if how := resp.Header.Get("Content-Encoding"); how != "" && !strings.EqualFold(how, "identity") {
		resp.Body.Close()
		return nil, &packed{clip(how, 40)}
	}
	if resp.StatusCode/100 == 2 {
		if isAmazonStream(resp.Header.Get("Content-Type")) {
			resp.Body = &framed{ReadCloser: resp.Body}
			resp.Header.Set("Content-Type", "text/event-stream")
		}
		d.events = newEventReader(resp.Body, d.life)
		resp.Body = d.events
		return resp, nil
	}
	defer resp.Body.Close()
	d.life.refusal()
	d.life.startClock()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // half a text is better than none
	d.life.stopClock()
	if to := resp.Header.Get("Location"); resp.StatusCode/100 == 3 && to != "" {
		// Following it would carry the conversation, and maybe the key, elsewhere.
		if u, err := d.url.Parse(to); err == nil {
			body = []byte("the server redirects to " + shownURL(u) + "; set that as base URL if it is right")
		}
	}
	return nil, &statusError{resp.StatusCode, resp.Header, string(body)}
}

// setKey writes the key into the headers of a request.
func setKey(h http.Header, keyName, key string) {
	if key == "" {
		return
	}
	if keyName == "" {
		h.Set("Authorization", "Bearer "+key)
		return
	}
	h.Del("Authorization")
	h.Set(keyName, key)
}
