package model

import "encoding/json"

// Body is a request as the model would be sent it, for people to look at. It
// contains no key: keys are headers.
func Body(req Request, info Info) json.RawMessage {
	quirks := map[string]bool{}
	for _, q := range info.Quirks {
		quirks[q] = true
	}
	return encode(req, info, quirks).body.whole()
}

// encode writes a request.
func encode(req Request, info Info, quirks map[string]bool) (q wireRequest) {
	if quirks[quirkTools] && len(req.Tools) > 0 {
		req = textTools(req, quirks)
	}
	switch {
	case info.form.api == apiMessages:
		q = encodeMessages(req, info, quirks)
	case info.form.api == apiResponses || quirks[quirkResponses]:
		q = encodeResponses(req, info, quirks)
	default:
		q = encodeRequest(req, info, quirks)
	}
	q.textTools = len(req.asText) > 0
	return q
}
