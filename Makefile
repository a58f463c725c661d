# What there is to do here. `make demo` and `make test` are all a new machine
# with Go needs.
GO ?= go
export CGO_ENABLED ?= 0

.PHONY: help build demo quick test check update prices crash long race bench fuzz soak smoke-editors test-editors test-mcp test-hosts dist

help: ## print this
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-14s %s\n", $$1, $$2}'

build: ## build bin/agent-sidecar
	$(GO) build -trimpath -o bin/agent-sidecar ./cmd/agent-sidecar

demo: ## a whole session in the terminal, with a scripted model and no key; without a terminal every question is answered yes
	@echo "building; the first time takes about a minute"
	@$(GO) run ./cmd/agent-sidecar demo $$([ -t 0 ] || echo --yes)

quick: ## laws, tables and a few conversations: half a minute, between two edits
	@GO="$(GO)" bash .ci/quick

test: ## all tests that need only Go; of what did not change, the results of the last time
	@GO="$(GO)" $(GO) run .ci/tests.go -timeout 30m ./...

check: ## format, vet (for three systems), tidy, staticcheck, the race detector where there is a C compiler
	@bash .ci/check

update: ## rewrite golden conversations and generated files
	$(GO) test ./cmd/agent-sidecar -run 'TestConversations|TestSchema|TestConfigurationTable|TestPresetTable|TestPermissionExample|TestExplainPage' -update

prices: ## rewrite model/prices.jsonc from the public list of LiteLLM; needs a network
	curl -fsSL -o .prices.json https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json
	$(GO) test ./model -count=1 -run '^TestPriceTable$$' -args -prices.from="$(CURDIR)/.prices.json" -prices.date="$$(date -u +%F)"
	rm .prices.json

crash: ## die at every step to the disk in every way, and 200 times by kill -9 (AGENT_SIDECAR_SEED repeats those); make test has a sample
	$(GO) test ./cmd/agent-sidecar -count=1 -v -timeout 40m -run '^(TestEveryStepMayBeTheLast|TestEveryStepOfARecoveryMayBeTheLast|TestKilledAtRandom)$$' -thorough

long: ## a session of 2,000 calls in a small, a usual and a large window
	$(GO) test ./cmd/agent-sidecar -count=1 -v -timeout 40m -run '^(TestLongSession|TestCachedSession)$$' -thorough

race: ## every test under the race detector; needs a C compiler
	@bash .ci/race

bench: ## speed and memory, as ratios in one run
	$(GO) test ./bench ./control ./rpc/surface ./workspace -run '^$$' -bench . -benchtime 1x

fuzz: ## every fuzz target for ten seconds
	@bash .ci/fuzz

soak: crash long race fuzz test-editors test-hosts ## all of what CI has a sample of: two hours or three; random scripts for SOAK=10m
	$(GO) test ./workspace ./control/shell -count=1 -v -timeout 90m -thorough
	$(GO) test ./cmd/agent-sidecar -count=1 -v -timeout 40m -run '^(TestSecretsHaveNoSink|TestADiskThatRefuses)$$' -thorough
	$(GO) test ./cmd/agent-sidecar -count=1 -v -timeout 10m -run '^TestConversations$$/^undo_many$$' -thorough
	$(GO) test ./cmd/agent-sidecar -count=1 -v -timeout 60m -run '^TestTraced' -traced.for $${SOAK:-10m}

smoke-editors: ## one scenario in each editor, against the real binary; installs the editors below .test-editors
	@bash editors/test/run.sh --smoke

test-editors: ## every scenario in every editor
	@bash editors/test/run.sh

test-mcp: ## real MCP servers from the npm registry; installs them
	@bash testclient/mcp/run.sh

test-hosts: ## workers behind a real sshd and in containers of a real podman; unpacks both below .test-hosts, and needs root
	bash testclient/hosts/install-sshd.sh bookworm .test-hosts/sshd
	bash testclient/hosts/install-podman.sh .test-hosts/podman
	$(GO) test ./cmd/agent-sidecar -count=1 -v -timeout 10m -run '^(TestOverSSH|TestInPodman)$$'

dist: ## binaries for six platforms and, with npm, a .vsix for each, in dist/
	@bash .ci/dist
