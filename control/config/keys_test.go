package config

import "testing"

func TestConfigNumbersAtTheEdge(t *testing.T) {
	for text, ok := range map[string]bool{
		`{"agents":{"runtime":{"truncation":{"maxLines":0}}}}`:                                                 false,
		`{"agents":{"runtime":{"truncation":{"maxLines":1}}}}`:                                                 true,
		`{"agents":{"runtime":{"truncation":{"maxLines":1.5}}}}`:                                               false,
		`{"agents":{"runtime":{"truncation":{"ttlDays":36501}}}}`:                                              false,
		`{"agents":{"runtime":{"truncation":{"ttlDays":36500}}}}`:                                              true,
		`{"agents":{"runtime":{"retry":{"idleMs":100000000001}}}}`:                                             false,
		`{"agents":{"runtime":{"retry":{"idleMs":100000000000}}}}`:                                             true,
		`{"agents":{"runtime":{"compaction":{"trigger":1}}}}`:                                                  true,
		`{"agents":{"runtime":{"compaction":{"trigger":-0.1}}}}`:                                               false,
		`{"agents":{"runtime":{"doomLoop":{"sameToolThreshold":1}}}}`:                                          false,
		`{"agents":{"runtime":{"doomLoop":{"sameToolThreshold":2}}}}`:                                          true,
		`{"agents":{"runtime":{"mode":{"default":"full_access"}}}}`:                                            false,
		`{"agents":{"runtime":{"edit":{"outside":"allow"}}}}`:                                                  false,
		`{"agents":{"runtime":7}}`:                                                                             false,
		`{"agents":{"runtime":{"permission":{"rules":[{"domain":"read","pattern":"[","decision":"allow"}]}}}}`: false,
		`{"agents":{"runtime":{"permission":{"rules":[{"domain":"reed","pattern":"x","decision":"allow"}]}}}}`: false,
		`{"agents":{"runtime":{"permission":{"rules":[{"domain":"read","pattern":"x","decision":"yes"}]}}}}`:   false,
		`{"agents":{"runtime":{"permission":{"rules":[7]}}}}`:                                                  false,
	} {
		s, _ := openStore(t, text)
		if d := s.Settings().Diagnostics; (len(d) == 0) != ok {
			t.Errorf("%s: %v", text, d)
		}
	}
}
