package model

import "encoding/json"

// Body is a request as the model would be sent it, for people to look at. It
// contains no key: keys are headers.
func Body(req Request, info Info) json.RawMessage {
	quirks := map[string]bool{}
	for _, q := range info.Quirks {
		quirks[q] = true
	}
	if quirks[quirkResponses] {
		return encodeResponses(req, info, quirks).body.whole()
	}
	return encodeRequest(req, info, quirks).body.whole()
}
