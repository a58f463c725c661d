package model

import "encoding/json"

// Body is a request as the chat completions endpoint of the model would be sent it,
// for people to look at. It holds no key: keys are headers.
func Body(req Request, info Info) json.RawMessage {
	quirks := map[string]bool{}
	for _, q := range info.Quirks {
		quirks[q] = true
	}
	body, _ := encodeRequest(req, info.Provider, info.Name, quirks)
	return body
}
