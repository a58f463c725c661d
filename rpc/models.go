package rpc

import (
	"context"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

type modelsParams struct {
	Provider string  `json:"provider"`
	BaseURL  string  `json:"baseUrl"`
	Model    *string `json:"model"`
}

func (p *modelsParams) Check() error {
	if p.Provider != "" && p.BaseURL != "" {
		return wire.InvalidParams("baseUrl", "does not go with provider")
	}
	if p.Model != nil && p.Provider+p.BaseURL != "" {
		return wire.InvalidParams("model", "does not go with provider or baseUrl")
	}
	return nil
}

type modelsResult struct {
	Providers []modelsOf `json:"providers"`
}

// modelsOf is what one provider, or one address, says that it has.
type modelsOf struct {
	Name    string      `json:"name"`
	BaseURL string      `json:"baseUrl"`
	Models  []modelName `json:"models"`
	Error   *listError  `json:"error,omitempty"`
}

type modelName struct {
	Name   string `json:"name"`
	Window int64  `json:"window,omitempty"`
	Vision bool   `json:"vision,omitempty"`
}

// listError is why there is no list.
type listError struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// models asks for the models that there are. It waits for the network, so it is
// beside everything else, and ends with the connection.
func (s *Server) models(ctx context.Context, _ *wire.Call, p modelsParams) (modelsResult, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(s.questions, end)() // shutdown does not wait for a provider
	out := modelsResult{[]modelsOf{}}
	if p.BaseURL != "" {
		list, err := s.back.Lists.ListAt(ctx, p.BaseURL)
		if err != nil {
			return out, wire.InvalidParams("baseUrl", err.Error())
		}
		out.Providers = append(out.Providers, listedBy("", list))
		return out, nil
	}
	if p.Model != nil {
		list, err := s.back.Lists.About(ctx, *p.Model)
		if err != nil {
			return out, wire.InvalidParams("model", err.Error())
		}
		out.Providers = append(out.Providers, listedBy(list.Provider+"/", list))
		return out, nil
	}
	lists, known := s.back.Lists.Lists(ctx, p.Provider)
	if !known {
		return out, wire.InvalidParams("provider", "there is none of that name")
	}
	for _, list := range lists {
		out.Providers = append(out.Providers, listedBy(list.Provider+"/", list))
	}
	return out, nil
}

// listedBy is a list as the client has it. prefix makes of a bare name one that
// `model` takes.
func listedBy(prefix string, list model.ModelList) modelsOf {
	out := modelsOf{Name: list.Provider, BaseURL: list.BaseURL, Models: []modelName{}}
	if list.Kind != "" {
		out.Error = &listError{string(list.Kind), control.Title(list.Message, 400)}
	}
	for _, m := range list.Models {
		out.Models = append(out.Models, modelName{prefix + m.Name, m.Window, m.Vision})
	}
	return out
}
