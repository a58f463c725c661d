package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/store"
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
	Providers []providerModels `json:"providers"`
}

// providerModels is what one provider, or one address, says that it has.
type providerModels struct {
	Name    string          `json:"name"`
	BaseURL string          `json:"baseUrl"`
	Models  []listedModel   `json:"models"`
	Error   *modelListError `json:"error,omitempty"`
}

type listedModel struct {
	Name   string `json:"name"`
	Window int64  `json:"window,omitempty"`
	Vision bool   `json:"vision,omitempty"`
}

// modelListError is why there is no list.
type modelListError struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// chooser says which models there are, and stores which one is used.
type chooser struct {
	*link
	lists    ModelLists
	conf     *config.Store
	store    *store.Store
	surfaces *surface.Surfaces
	audit    *auditor
}

// models asks for the models that there are. It waits for the network, so it is
// beside everything else, and ends with the connection.
func (s *chooser) models(ctx context.Context, _ *wire.Call, p modelsParams) (modelsResult, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(s.leaving, end)() // shutdown does not wait for a provider
	out := modelsResult{[]providerModels{}}
	if p.BaseURL != "" {
		list, err := s.lists.ListAt(ctx, p.BaseURL)
		if err != nil {
			return out, wire.InvalidParams("baseUrl", err.Error())
		}
		out.Providers = append(out.Providers, listedBy("", list))
		return out, nil
	}
	var lists []model.ModelList
	if p.Model != nil {
		list, err := s.lists.About(ctx, *p.Model)
		if err != nil {
			return out, wire.InvalidParams("model", err.Error())
		}
		lists = append(lists, list)
	} else if all, known := s.lists.Lists(ctx, p.Provider); known {
		lists = all
	} else {
		return out, wire.InvalidParams("provider", "there is none of that name")
	}
	for _, list := range lists {
		out.Providers = append(out.Providers, listedBy(list.Provider+"/", list))
	}
	return out, nil
}

// listedBy is a list as the client has it. prefix makes of a bare name one that
// `model` takes.
func listedBy(prefix string, list model.ModelList) providerModels {
	out := providerModels{Name: list.Provider, BaseURL: list.BaseURL, Models: []listedModel{}}
	if list.Kind != "" {
		out.Error = &modelListError{string(list.Kind), control.Title(list.Message, 400)}
	}
	for _, m := range list.Models {
		out.Models = append(out.Models, listedModel{prefix + m.Name, m.Window, m.Vision})
	}
	return out
}

const (
	mostChoices = 6               // models in a menu or a question
	choicesWait = 3 * time.Second // for the lists of providers, while a person waits for a word
)

// Choices are the first models of each provider that answers soon, a provider's turn
// after the other.
func (s *chooser) Choices(ctx context.Context) (names []string) {
	ctx, end := context.WithTimeout(ctx, choicesWait)
	defer end()
	lists, _ := s.lists.Lists(ctx, "")
	for i, more := 0, true; more; i++ {
		more = false
		for _, l := range lists {
			if i < len(l.Models) && len(names) < mostChoices {
				names = append(names, l.Provider+"/"+l.Models[i].Name)
				more = true
			}
		}
	}
	return names
}

// useModel stores a model as that of every session that names none, and runs the last prompt
// of a session again if it did not end well.
func (s *chooser) useModel(name, id string) (history.Ack, *session.Session, error) {
	s.surfaces.ForgetModels()
	value, err := json.Marshal(name)
	if err != nil {
		return history.Ack{}, nil, err
	}
	if err := s.conf.Set("model", value); err != nil {
		return history.Ack{}, nil, err
	}
	s.audit.note("config", "set model", "client")
	if id == "" {
		return history.Ack{}, nil, nil
	}
	of, err := s.store.Get(id)
	if err != nil {
		return history.Ack{}, nil, err
	}
	ack, err := of.Retry(session.Prompt{Request: history.Request{Kind: "continuation", Model: name}})
	if _, nothing := errors.AsType[*session.InvalidError](err); nothing {
		return history.Ack{}, nil, nil
	}
	return ack, of, err
}

// Use implements the choice of a model.
func (s *chooser) Use(name, id string) error {
	ack, of, err := s.useModel(name, id)
	if err == nil && ack.Owed {
		s.Background(of.Work)
	}
	return err
}
