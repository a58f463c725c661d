package model

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestClassify: the words that decide where the status does not.
func TestClassify(t *testing.T) {
	for _, row := range []struct {
		status int
		body   string
		want   class
	}{
		{400, `{"error":{"message":"Model Not Exist","code":"invalid_request_error"}}`, classNotFound},
		{400, `{"error":{"message":"The supported API model names are a or b, but you passed c."}}`, classNotFound},
		{400, `{"error":{"message":"The model ` + "`x`" + ` has been decommissioned and is no longer supported."}}`, classNotFound},
		{400, `{"object":"error","message":"Invalid model: x","type":"invalid_model","code":"1500"}`, classNotFound},
		{400, `{"error":{"message":"a/b is not a valid model ID","code":400}}`, classNotFound},
		{400, `{"error":{"message":"The requested model 'x' does not exist.","type":"invalid_request_error","code":"model_not_found"}}`, classNotFound},
		{400, `{"error":{"message":"The requested model 'x' does not exist."}}`, classNotFound},
		{400, `{"code":"Client specified an invalid argument","error":"Model not found: x"}`, classNotFound},
		{400, `{"error":{"message":"The requested model is not supported.","code":"model_not_supported"}}`, classNotFound},
		{422, `{"message":"unknown model: x"}`, classNotFound},
		{0, `{"error":{"message":"The requested model 'x' does not exist."}}`, classNotFound},
		{400, `{"code":"invalid-argument","error":"Incorrect API key provided: xa***ey. You can obtain an API key from https://console.x.ai."}`, classAuth},
		{400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, classAuth},
		{500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, classBadRequest},
		// They speak of models and mean something else.
		{400, `{"error":{"message":"you must provide a model parameter"}}`, classBadRequest},
		{400, `{"error":{"message":"Unsupported parameter: 'stop' is not supported with this model."}}`, classBadRequest},
		{400, `{"error":{"message":"Model x does not support parameter reasoningEffort."}}`, classBadRequest},
		{422, `{"detail":[{"loc":["body","messages"],"msg":"Field required","input":{"content":"model not found"}}]}`, classBadRequest},
		{503, `{"error":{"message":"model not found in the cache yet"}}`, classOverloaded},
		// No credit, and a limit that is over in a moment.
		{429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","code":"insufficient_quota"}}`, classQuota},
		{429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details."}}`, classQuota},
		{429, `[{"error":{"code":429,"message":"You exceeded your current quota. Please retry in 48.9s.","details":[{"retryDelay":"48s"}]}}]`, classRateLimit},
		{429, `{"error":{"message":"You exceeded your current quota","details":[{"retryDelay":"48s"}]}}`, classRateLimit},
		{429, `{"error":{"message":"slow down"}}`, classRateLimit},
	} {
		if got := classify(row.status, row.body); got != row.want {
			t.Errorf("%d %s: %s, want %s", row.status, row.body, got, row.want)
		}
	}
}

// TestErrorWords: the cause first, in the provider's words; what was asked where
// behind it.
func TestErrorWords(t *testing.T) {
	for _, row := range []struct {
		name, base    string
		answer        step
		cause, detail string
	}{
		{"a sentence", "http://test.test/v1", refuse(401, `{"error":{"message":"No such key."}}`), "No such key.", "asking test/m at http://test.test/v1/chat/completions: status 401"},
		{"attempts", "http://test.test/v1", refuse(500, `{"error":{"message":"Broken."}}`), "Broken.", "asking test/m at http://test.test/v1/chat/completions: status 500; 3 attempts: m model_server_error (500) 3 times"},
		{"nothing there", "http://test.test", refuse(404, "404 page not found"), "404 page not found; the address has no /v1: is http://test.test/v1 meant?", "asking test/m at http://test.test/chat/completions: status 404"},
		{"nothing there, below /v1", "http://test.test/v1", refuse(404, "404 page not found"), "404 page not found", "asking test/m at http://test.test/v1/chat/completions: status 404"},
		{"no such model, without /v1", "http://test.test", refuse(404, `{"error":{"message":"The model m does not exist"}}`), "The model m does not exist", "asking test/m at http://test.test/chat/completions: status 404"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := script(t, row.answer)
				c.Providers[0].BaseURL = row.base
				err := hear(t.Context(), open(t, c, "test/m"), ask("hi")).modelError()
				if err.Cause().String() != row.cause || err.Detail() != row.detail || !strings.HasPrefix(err.Error(), row.cause) {
					t.Errorf("%s\n%s", err.Cause(), err.Detail())
				}
			})
		})
	}
}
