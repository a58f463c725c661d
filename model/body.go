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
func encode(req Request, info Info, quirks map[string]bool) wireRequest {
	if info.form.api == apiMessages {
		return encodeMessages(req, info, quirks)
	}
	if info.form.api == apiResponses || quirks[quirkResponses] {
		return encodeResponses(req, info, quirks)
	}
	return encodeRequest(req, info, quirks)
}
