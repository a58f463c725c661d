package control

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/names"
	"github.com/agent-sidecar/agent-sidecar/control/shell"
)

// Every pattern of the lists matches its own example at any depth and in any case, so
// none is a comment or a slip.
func TestListedNames(t *testing.T) {
	for list, set := range map[*[]string]nameSet{&names.Obeyed: obeyedSet, &names.Sensitive: sensitiveSet} {
		for _, p := range *list {
			name := strings.NewReplacer("/**", "/x/y", "[0-9]", "0", "y*ml", "yaml").Replace(p)
			if before, more, ok := strings.Cut(name, "{"); ok {
				first, after, _ := strings.Cut(more, "}")
				first, _, _ = strings.Cut(first, ",")
				name = before + first + after
			}
			name = shell.Fill(name, "x")
			for _, object := range []string{"vault:/" + name, "vault@lib:/a/b/" + strings.ToUpper(name), "fs:/srv/" + name} {
				if !set.has(newObject(object)) || !IsProtected(object) {
					t.Errorf("%s does not match its own %s", p, object)
				}
			}
		}
	}
}

// Files that programs obey, files with secrets, and ordinary ones.
func TestNamesThatAsk(t *testing.T) {
	f := baseFacts(rule("edit", "fs:/**", "ask"))
	for _, name := range strings.Fields(`rust-toolchain.toml a/rust-toolchain _exrc .travis.yml bitbucket-pipelines.yml .drone.yml .gitea/workflows/ci.yml .hg/hgrc lefthook.yaml lefthook.toml
		.devcontainer.json .cursorrules .opencode/plugin/x.js .yarn/releases/yarn-4.cjs .woodpecker.yml .woodpecker/a.yml appveyor.yml .buildkite/pipeline.yml
		.teamcity/settings.kts cloudbuild.yaml .envrc sub/.envrc Vagrantfile .forgejo/workflows/x.yml buildspec.yml .pre-commit-config.yml .windsurfrules
		.clinerules/a.md opencode.json .codex/config.toml .mvn/extensions.xml .pnpmfile.cjs bunfig.toml Jenkinsfile.deploy .TRAVIS.YML pkg/Appveyor.yml
		bamboo-specs/bamboo.yml .vela.yml bxci.yaml railway.toml Procfile release-please-config.json codefresh.yml .gitlab/agents/x/config.yaml .buildkite/hooks/pre-command
		project.sublime-workspace .bsp/sbt.json .run/all.run.xml nbproject/project.xml .vim/coc-settings.json .lazy.lua .dir-locals-2.el flake.nix devenv.nix .lfsconfig grumphp.yml
		.warp/workflows/x.yaml .eca/config.json .skills/x/SKILL.md .cline/x.md .codebuddy/x .kode/x.yaml firebender.json .claude-plugin/plugin.json .gemini/settings.json .github/copilot-instructions.md
		.unheard-of .unheard-of/x.js a/.b/c.go ..x .storybook/main.js .eslintrc.js .prettierrc .gitignore/x .Gitignore .gitignore2`) {
		if d := decide(f, filePlan("edit", "vault:/"+name)); d.Verdict != Ask {
			t.Errorf("edit %s: %s", name, d.Reason)
		}
		if sensitive("vault:/"+name) != strings.HasSuffix(name, ".envrc") {
			t.Errorf("%s is taken for a secret, or not", name)
		}
	}
	for _, name := range strings.Fields(`.secrets.toml .secret .terraformrc deploy_key .age/keys.txt id_ecdsa id_ed25519 deploy_rsa a.jks release.keystore p.kdbx .git-credentials .pgpass .netrc terraform.tfstate
		terraform.tfstate.backup x/prod.tfstate service-account.json service-account-prod.json a.p12 a.pfx .htpasswd credentials.json .vault-token .dockercfg
		.docker/config.json kubeconfig .kube/config .kube/cache/x .aws/credentials home.ovpn wp-config.php secrets.yml config/secrets.json AuthKey.p8 x.ppk
		prod.tfvars x.pkrvars.hcl config/prod.secret.exs android/key.properties http-client.private.env.json export_credentials.cfg my-credentials.json
		sites/default/settings.php nbproject/private/private.properties .clasprc.json .streamlit/secrets.toml home.agekey
		.bash_history client_secret_1.json terraform.tfvars ID_ECDSA infra/Terraform.TFState`) {
		for _, domain := range []string{"read", "edit"} {
			if d := decide(f, filePlan(domain, "vault:/"+name)); d.Verdict != Ask {
				t.Errorf("%s %s: %s", domain, name, d.Reason)
			}
		}
	}
	for _, name := range strings.Fields(`secrets.go keys.ts config.json README.md main.go src/secrets/manager.go pkg/kubeconfig/load.go package.json Makefile
		Dockerfile docker-compose.yml settings.py config.yaml keyboard.ts environment.ts id_token.go rsa.go ed25519.py tokens.css auth.ts auth/json.go
		pipeline.go travis.md drone/main.go terraform.tf variables.tf service-account.ts keystore.java docs/agents.txt vagrant.md variables.tf src/settings.php flake.lock shell.go procfile.go release.toml run/all.xml go.mod a.b.c x..y
		.gitignore .gitkeep .dockerignore .editorconfig .prettierignore .eslintignore .npmignore sub/.gitignore wp-content/index.php kdbx.c public.asc a.pub`) {
		for _, domain := range []string{"read", "edit"} {
			if d := decide(f, filePlan(domain, "vault:/"+name)); d.Verdict != Allow {
				t.Errorf("%s %s: %s", domain, name, d.Reason)
			}
		}
	}
}

// A rule opens a name with a dot where it says so; "everything" does not.
func TestRulesForDotNames(t *testing.T) {
	for pattern, want := range map[string]Verdict{
		"vault:**": Ask, "*": Ask, "**/*.js": Ask, "vault:/.storybook/**": Allow, ".storybook/**": Allow, "vault:/.storybook/main.js": Allow, "vault:/**/.*/**": Allow,
	} {
		f := baseFacts(rule("edit", pattern, "allow"))
		if d := decide(f, filePlan("edit", "vault:/.storybook/main.js")); d.Verdict != want {
			t.Errorf("%s: %s", pattern, d.Reason)
		}
		f.Tainted = true
		if d := decide(f, filePlan("edit", "vault:/.storybook/main.js")); d.Verdict != Ask {
			t.Errorf("%s, tainted: %s", pattern, d.Reason)
		}
	}
	if d := decide(baseFacts(), filePlan("read", "vault:/.storybook/main.js")); d.Verdict != Allow {
		t.Errorf("reading: %s", d.Reason)
	}
}

// A directory that is called as a file of the lists is none: there are packages of that
// name. What is in a place of secrets is one, whatever it is.
func TestDirectoriesNamedAsListedFiles(t *testing.T) {
	f := baseFacts()
	f.Resolver = folders{theWorld}
	for object, want := range map[string]Verdict{
		"vault:/kubeconfig": Allow, "vault:/pkg/secrets.json": Allow, "vault:/release.jks": Allow, "vault:/.kube": Ask, "vault:/credentials": Ask, "vault:/.ssh": Ask,
	} {
		if d := decide(f, filePlan("read", object)); d.Verdict != want {
			t.Errorf("read %s: %s", object, d.Reason)
		}
	}
	if d := decide(f, filePlan("edit", "vault:/Vagrantfile")); d.Verdict != Allow {
		t.Errorf("edit: %s", d.Reason)
	}
	if IsProtected("vault:/pkg/kubeconfig/") || !IsProtected("vault:/.vscode/") || !IsProtected("vault:/kubeconfig") {
		t.Error("a directory is told from a file by its end")
	}
}

// folders is a world where everything is a directory.
type folders struct{ world }

func (folders) Directory(string) bool { return true }

// Bypass: a file tool asks for a name that begins with a dot and that no list knows, and a
// redirection of a command, or tee, wrote it.
func TestBypassRedirectionIntoADotName(t *testing.T) {
	f := baseFacts(allowBash("*")...)
	for command, want := range map[string]Verdict{
		"echo x > .newrc": Ask, "echo x >> .new/x.js": Ask, "cat a.go &> sub/.newrc": Ask, "echo x | tee .newrc": Ask, "echo x | tee -a sub/.newrc": Ask, "cat <<< x >| .newrc": Ask,
		"sh -c 'echo x > .newrc'": Ask, "echo x > .gitignore": Allow, "echo x > a.go": Allow, "cat < .newrc": Allow, "echo x > a.go 2> /dev/null": Allow, "rm -rf .cache": Allow,
		"make 2>&1 | tee build.log": Allow, "mkdir -p .cache/x": Allow,
	} {
		if d := decide(f, bashPlan(command)); d.Verdict != want {
			t.Errorf("%s: %v (%s)", command, d.Verdict, d.Reason)
		}
	}
	f = baseFacts(append(allowBash("*"), rule("edit", "vault:/.new/**", "allow"))...)
	if d := decide(f, bashPlan("echo x > .new/a")); d.Verdict != Allow {
		t.Errorf("a rule names it: %s", d.Reason)
	}
}

// built is a world in which git ignores what is below a directory of that name.
type built struct{ world }

func (built) Ignored(object string) bool { return strings.Contains(object, "/node_modules/") }

// Below what git ignores a dot in front says nothing; a name on the lists does.
func TestDotNamesBelowWhatGitIgnores(t *testing.T) {
	f := baseFacts(rule("edit", "fs:/**", "allow"))
	f.Resolver = built{theWorld}
	for name, want := range map[string]Verdict{
		"vault:/node_modules/a/.babelrc": Allow, "vault:/node_modules/.cache/x.json": Allow, "vault:/web/node_modules/.bin/x": Allow,
		"vault:/.babelrc": Ask, "vault:/src/.cache/x.json": Ask, "fs:/srv/node_modules/.x": Ask,
		"vault:/node_modules/a/.envrc": Ask, "vault:/node_modules/a/.vscode/tasks.json": Ask, "vault:/node_modules/a/.idea/x.xml": Ask, "vault:/node_modules/a/.zed/tasks.json": Ask,
		"vault:/node_modules/a/.agents/x.md": Ask, "vault:/node_modules/.claude/settings.json": Ask, "vault:/node_modules/a/.cursor/rules/x": Ask, "vault:/node_modules/.codex/config.toml": Ask,
		"vault:/node_modules/.env": Ask, "vault:/node_modules/a/.git/config": Ask, "vault:/node_modules/a/.mcp.json": Ask, "vault:/node_modules/a/AGENTS.md": Ask,
	} {
		if d := decide(f, filePlan("edit", name)); d.Verdict != want {
			t.Errorf("%s: %v (%s)", name, d.Verdict, d.Reason)
		}
	}
	f.Tainted = true
	if d := decide(f, filePlan("edit", "vault:/node_modules/a/.envrc")); d.Verdict != Ask {
		t.Errorf("tainted: %s", d.Reason)
	}
}
