package secrets

import (
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// letters are n letters and digits as a key has them; the others are its relatives.
func letters(n int) string { return strings.Repeat("aB3dE5fG7hJ9kL2m", n/16+1)[:n] }
func hexes(n int) string   { return strings.Repeat("a3d5f7e9b2c4d6f8", n/16+1)[:n] }
func upper(n int) string   { return strings.ToUpper(letters(n)) }

// Each kind that the list has is known, whatever stands in front of it, and with
// quotes, blanks and line ends around it.
func TestListedKinds(t *testing.T) {
	keys := map[string][]string{
		"adobe": {"p8e-" + letters(32)}, "alibaba": {"LTAI" + letters(20)}, "artifactory": {"AKCp" + letters(69)}, "age": {"AGE-SECRET-KEY-1" + upper(58)},
		"aws":   {"ABSK" + letters(109), "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t" + letters(20)},
		"azure": {"aB38Q~" + letters(32)}, "clojars": {"CLOJARS_" + strings.ToLower(letters(60))}, "cloudflare": {"v1.0-" + hexes(24) + "-" + hexes(146)},
		"databricks": {"dapi" + hexes(32), "dapi" + hexes(32) + "-2"}, "digitalocean": {"dop_v1_" + hexes(64), "doo_v1_" + hexes(64), "dor_v1_" + hexes(64)},
		"doppler": {"dp.pt." + letters(43), "dp.ct." + letters(43), "dp.sa." + letters(43), "dp.scim." + letters(43), "dp.audit." + letters(43), "dp.st.dev_a." + letters(43), "dp.st." + letters(43)},
		"duffel":  {"duffel_live_" + letters(43), "duffel_test_" + letters(43)}, "dynatrace": {"dt0c01." + upper(24) + "." + upper(64)}, "easypost": {"EZAK" + letters(54), "EZTK" + letters(54)},
		"flutterwave": {"FLWSECK_TEST-" + hexes(32) + "-X", "FLWSECK-" + hexes(32) + "-X"}, "fly": {"fo1_" + letters(43), "fm1a_" + letters(100), "fm1r_" + letters(100), "fm2_" + letters(100)}, "frameio": {"fio-u-" + letters(64)},
		"gitlab": {"glcbt-64_" + letters(20), "gldt-" + letters(20), "glffct-" + letters(20), "glft-" + letters(20), "glimt-" + letters(25), "glagent-" + letters(50), "gloas-" + letters(64), "glptt-" + hexes(40), "glrt-" + letters(20), "glsoat-" + letters(20), "GR1348941" + letters(20)},
		"google": {"GOCSPX-" + letters(28)}, "grafana": {"eyJrIjoi" + letters(72), "glc_" + letters(40), "glsa_" + letters(32) + "_" + hexes(8)}, "groq": {"gsk_" + letters(52)},
		"harness": {"pat." + letters(22) + "." + letters(24) + "." + letters(20), "sat." + letters(22) + "." + letters(24) + "." + letters(20)}, "heroku": {"HRKU-AA" + letters(58)}, "hf": {"api_org_" + strings.Repeat("aBcDeFgHiJkLmNoPq", 2)},
		"infracost": {"ico-" + letters(32)}, "linear": {"lin_api_" + letters(40), "lin_oauth_" + hexes(64)}, "notion": {"ntn_12345678901" + letters(35), "secret_" + letters(43)},
		"octopus": {"API-" + upper(26)}, "openshift": {"sha256~" + letters(43)}, "perplexity": {"pplx-" + letters(48)}, "planetscale": {"pscale_tkn_" + letters(40), "pscale_oauth_" + letters(40), "pscale_pw_" + letters(40)},
		"postman": {"PMAK-" + hexes(24) + "-" + hexes(34)}, "prefect": {"pnu_" + letters(36)}, "pulumi": {"pul-" + hexes(40)}, "readme": {"rdme_" + hexes(70)}, "rubygems": {"rubygems_" + hexes(48)},
		"scalingo": {"tk-us-" + letters(48)}, "sendinblue": {"xkeysib-" + hexes(64) + "-" + letters(16)}, "sentry": {"sntrys_eyJpYXQiO" + letters(60) + "_" + letters(43), "sntryu_" + hexes(64)},
		"settlemint": {"sm_aat_" + letters(16), "sm_pat_" + letters(16), "sm_sat_" + letters(16)}, "shippo": {"shippo_live_" + hexes(40), "shippo_test_" + hexes(40)},
		"shopify": {"shpat_" + hexes(32), "shpca_" + hexes(32), "shppa_" + hexes(32), "shpss_" + hexes(32)}, "slack": {"xapp-1-A0B1C2D3E4F-1234567890123-" + hexes(64)}, "sourcegraph": {"sgp_" + hexes(40), "sgp_local_" + hexes(40), "sgp_" + hexes(16) + "_" + hexes(40)},
		"square": {"sq0atp-" + letters(22), "sq0csp-" + letters(43)}, "stripe": {"sk_prod_" + letters(24), "rk_prod_" + letters(24)}, "telegram": {"123456789:AA" + letters(33)}, "terraform": {letters(14) + ".atlasv1." + letters(67)},
		"twilio": {"SK" + hexes(32)}, "vault": {"hvs." + letters(95), "hvb." + letters(140), "hvr." + letters(95), "hvs." + letters(24)},
	}
	for kind, all := range keys {
		for _, key := range all {
			for _, around := range [][2]string{{"", ""}, {`k = "`, `"`}, {"K=", "\n"}, {"a ", " b"}, {"%3D", "&x=1"}, {`"v\n`, `\n"`}, {"x:", ";"}, {"_", ")"}, {"(", "\r\n"}} {
				in := around[0] + key + around[1]
				if want := around[0] + "⟦" + kind + "⟧" + around[1]; marked(in, Shapes(in)) != want {
					t.Errorf("%s: %q became %q", kind, in, marked(in, Shapes(in)))
				}
			}
		}
	}
	for _, sh := range readShapes(listed) { // and each hint of the list stands in one of them
		if sh.look != nil || sh.secretGroup() {
			continue
		}
		for _, hint := range sh.hints {
			if !slices.ContainsFunc(keys[sh.kind], func(key string) bool { return strings.Contains(key, hint) }) {
				t.Errorf("%s with %s is not in this table", sh.kind, hint)
			}
		}
	}
}

// Keys that only a word or an address in front of them gives away.
func TestKeysKnownByAWord(t *testing.T) {
	aws, discord, sid := letters(38)+"/+", "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ."+letters(27), hexes(32)
	for in, want := range map[string]string{
		"aws_secret_access_key = " + aws:                             "aws_secret_access_key = ⟦aws⟧",
		`"SecretAccessKey": "` + aws + `",`:                          `"SecretAccessKey": "⟦aws⟧",`,
		`{\"secretAccessKey\":\"` + aws + `\"`:                       `{\"secretAccessKey\":\"⟦aws⟧\"`,
		"AWS_SECRET=" + aws + "\n":                                   "AWS_SECRET=⟦aws⟧\n",
		"TWILIO_AUTH_TOKEN=" + sid:                                   "TWILIO_AUTH_TOKEN=⟦twilio⟧",
		"twilio: { authToken: '" + sid + "'":                         "twilio: { authToken: '" + sid + "'",
		"DISCORD_TOKEN='" + discord + "'":                            "DISCORD_TOKEN='⟦discord⟧'",
		`{"token": "` + discord + `"}`:                               `{"token": "⟦discord⟧"}`,
		"discord_client_secret: " + letters(32):                      "discord_client_secret: ⟦discord⟧",
		"AccountName=a;AccountKey=" + letters(86) + "==;Endpoint=x":  "AccountName=a;AccountKey=⟦azure⟧;Endpoint=x",
		"SharedAccessKeyName=a;SharedAccessKey=" + letters(43) + "=": "SharedAccessKeyName=a;SharedAccessKey=⟦azure⟧",
		"https://hooks.slack.com/services/T0/B0/" + letters(40):      "https://hooks.slack.com/services/⟦webhook⟧",
		"curl -H 'Authorization: Bearer " + letters(24) + "' x":      "curl -H 'Authorization: Bearer ⟦header⟧' x",
		`"authorization": "Bearer ` + letters(24) + `"`:              `"authorization": "Bearer ⟦header⟧"`,
		"AUTHORIZATION=token " + letters(24):                         "AUTHORIZATION=token ⟦header⟧",
		"Proxy-Authorization: Basic YWRtaW46dDBwUzNjcmV0":            "Proxy-Authorization: Basic ⟦header⟧", // admin:t0pS3cret
		`{\"Authorization\":\"Bearer ` + letters(24) + `\"}`:         `{\"Authorization\":\"Bearer ⟦header⟧\"}`,
	} {
		if got := marked(in, Shapes(in)); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// What looks like a key and is none: digests, ids, images, minified code, names and
// the words of examples stay as they are.
func TestNoKeys(t *testing.T) {
	sha512 := strings.Repeat("kP7bY0dY/Hn4RJ2+", 5) + "aB3dEQ=="
	image := strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", 3)
	for _, in := range []string{
		"github.com/aws/aws-sdk-go v1.44.0 h1:" + letters(43) + "=\ngithub.com/aws/aws-sdk-go v1.44.0/go.mod h1:" + letters(43) + "=",
		`"node_modules/aws-sdk": {"version": "2.1.0", "integrity": "sha512-` + sha512 + `", "resolved": "https://registry.npmjs.org/aws-sdk/-/aws-sdk-2.1.0.tgz"}`,
		`"twilio": {"integrity": "sha512-` + sha512 + `"}`, `"discord.js": {"integrity": "sha512-` + sha512 + `"}`, `telegraf@4: resolution "sha1-` + letters(27) + `="`,
		"commit " + hexes(40) + "\ntree " + hexes(40), "aws_commit: " + hexes(40), "token: " + hexes(40), "secret_sha256: " + hexes(64), "task-" + hexes(32), "disk-" + hexes(40), "risk-550e8400-e29b-41d4-a716-446655440000",
		"550e8400-e29b-41d4-a716-446655440000", "sha256:" + hexes(64), "sha256-" + letters(43) + "=", "digest sha256:" + hexes(64), "integrity sha384-" + letters(64),
		"data:image/png;base64," + image, image, "url(data:font/woff2;base64," + letters(400) + ")",
		"!function(e,t){" + strings.Repeat("var n=t(0),token=n.secret?n.aws:e.discord;", 30) + "}(0);", `t.authorization="Bearer "+e,n.Authorization="Basic "+btoa(t)`,
		"Authorization: Bearer YOUR_ACCESS_TOKEN_HERE", "Authorization: Bearer <token>", "Authorization: Bearer ${TOKEN}", "Authorization: Bearer $GITHUB_TOKEN", "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Authorization: Basic dXNlcjpwYXNzd29yZA==",
		"Authorization: Bearer mytoken", "The Authorization header, Basic or Bearer", "authorization: token xxxxxxxxxxxxxxxxxxxxxxxxxxxx1",
		"secret_manager_of_the_cloud_in_which_all_of_it_runs", "dp.point.of.view", "hvs.length", "API-REFERENCE-OF-ALL-METHODS", "LTAI", "pat.match(x)", "desk.SK.x", "ask-me-anything-about-it-please", "glft-right", "shpat_x", "AccountKey=;", "SharedAccessKey=<key>",
		"aws_secret_access_key = os.environ[\"AWS_SECRET_ACCESS_KEY\"]", "token = getTokenFromTheStoreOfAllTokensThatWeHave()", "lX22zJrsk-Q00ghAHB81yHpc_8q7Hp5Vto4k7QDzLfg", "12:30:AA", "MIIfoo", "MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ",
		"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEeP", "MIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7on", "MIICijCCAXICAQAwRTELMAkGA1UEBhMCQVUxEzARBgNVBAgMClNvbWUtU3RhdGUxITAf",
	} {
		if got := marked(in, Shapes(in)); got != in {
			t.Errorf("%q became %q", in, got)
		}
	}
}

// Lines that begin as the text of a private key does count without the line above
// them, with those below.
func TestBodiesOfKeys(t *testing.T) {
	for _, first := range []string{
		"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj", "MIIEpAIBAAKCAQEA01t1rLjxPjxaYsrmsdkggFWntZXCuMtCMcl3q/SOI1b40ZYb", "MIIBUwIBADANBgkqhkiG9w0BAQEFAASCAT0wggE5AgEAAkEAqPfgaTEWEP3S9w0t",
		"MHcCAQEEIKUCO1BVjOueE4/YLw9rULXop8nU8X0K6ryc7VnniBvtoAoGCCqGSM49", "MC4CAQAwBQYDK2VwBCIEIMLfVviiRvjQULMgJtR+aL16B3LoBRTbiuWKFGeOYyOI", "MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDB8pNNugwRO7OxtiX2F",
		"MIGkAgEBBDB8/oob/xLTJnZRJkLuER9aQm+2qzUQjPLYLu4eZSqWyZYBsyklGhjv", "MIIFLTBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQIg6vNvk8aDEcCAggA", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW",
	} {
		x := func(c string) string { return letters(len(first)-1) + c }
		for in, want := range map[string]string{
			first:      "⟦pem⟧",
			first[:45]: "⟦pem⟧",
			"  " + first + "\n  " + x("1") + "\n  " + x("2") + "\n  aB3d=\nreplicas: 2\n": "  ⟦pem⟧\n  ⟦pem⟧\n  ⟦pem⟧\n  ⟦pem⟧\nreplicas: 2\n",
			"12:" + first + "\n13:" + x("1") + "\n":                                       "12:⟦pem⟧\n13:⟦pem⟧\n",
			`"key": "` + first + `\n` + x("1") + `\n",`:                                   `"key": "⟦pem⟧\n",`,
			`key = "` + first + x("1") + `"`:                                              `key = "⟦pem⟧"`,
			"x" + first:                                                                   "x" + first, // the middle of something else
		} {
			if got := marked(in, Shapes(in)); got != want {
				t.Errorf("%q became %q, want %q", in, got, want)
			}
		}
	}
}

// A hint that stands in a run by chance does not hide the key behind it.
func TestBypassHintInFrontOfTheKey(t *testing.T) {
	for in, want := range map[string]string{
		"AKIAAKIA" + upper(16): "AKIA⟦aws⟧", "ghp_ghp_" + letters(36): "ghp_⟦ghp⟧", "npm_npm_" + letters(36): "npm_⟦npm⟧", "sk-sk-" + letters(40): "⟦sk⟧", "AIzaAIza" + letters(35): "AIza⟦google⟧",
		"SKSK" + hexes(32): "SK⟦twilio⟧", "%2BAKIA" + upper(16): "%2B⟦aws⟧", "tokenghp_" + letters(36): "token⟦ghp⟧",
	} {
		if got := marked(in, Shapes(in)); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// Each line of the list has its columns, and its expressions can be compiled.
func TestListOfKinds(t *testing.T) {
	for line := range strings.Lines(listed) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		col := strings.Fields(line)
		want, patterns := 6, []int{1, 3}
		if col[0][0] == '<' {
			want, patterns = 4, []int{2}
		}
		if len(col) != want {
			t.Errorf("%s has %d columns", line, len(col))
			continue
		}
		for _, i := range patterns {
			if _, err := syntax.Parse(col[i], syntax.Perl); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
		if _, ok := musts[col[want-1]]; !ok || strings.Trim(strings.Trim(col[0], "<>"), "abcdefghijklmnopqrstuvwxyz") != "" || len(col[0]) > 16 {
			t.Errorf("%s: no such condition, or no name of a kind", line)
		}
	}
}

// What stands for a secret is not hidden again, above the last line of a key either.
func TestBypassPlaceholderAboveTheEnd(t *testing.T) {
	const end = "\n-----END PRIVATE KEY-----\n"
	line := letters(64)
	for in, want := range map[string]string{
		"  10- «secret:pem#13»" + end:        "  10- «secret:pem#13»" + end,
		line + "\n10: «secret:pem#13»" + end: "⟦pem⟧\n10: «secret:pem#13»" + end,
	} {
		if got := marked(in, Shapes(in)); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
