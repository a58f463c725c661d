package compaction

import "testing"

// The bounds of compaction, as numbers that a change of which must be meant.
func TestBounds(t *testing.T) {
	zero, own := int64(0), int64(777)
	for name, row := range map[string]struct {
		known                       Known
		usable, trigger, micro, gap int64
	}{
		"small: a fifth is kept free":    {Known{Window: 8192, Trigger: 0.8}, 6554, 5243, 2621, 1310},
		"one below where it is 4,096":    {Known{Window: 20_475, Trigger: 0.8}, 16_380, 13_104, 6552, 3276},
		"large: 4,096 are kept free":     {Known{Window: 131_072, Trigger: 0.8}, 126_976, 101_580, 50_790, 25_395},
		"the answer's own budget":        {Known{Window: 131_072, Reserve: 31_072, Trigger: 0.5}, 100_000, 50_000, 25_000, 12_500},
		"a budget over half the window":  {Known{Window: 10_000, Reserve: 9_000, Trigger: 1}, 5_000, 5_000, 2_500, 1_250},
		"maxInput is usable":             {Known{Window: 400_000, MaxInput: 272_000, Trigger: 0.8}, 272_000, 217_600, 108_800, 54_400},
		"an absolute cap":                {Known{Window: 131_072, Trigger: 0.8, MaxTokens: 50_000}, 126_976, 50_000, 25_000, 12_500},
		"a cap above the trigger":        {Known{Window: 8192, Trigger: 0.8, MaxTokens: 50_000}, 6554, 5243, 2621, 1310},
		"unknown: only characters count": {Known{Trigger: 0.8, MaxChars: 120_000}, 0, 0, 20_000, 10_000},
		"unknown, with a cap":            {Known{Trigger: 0.8, MaxChars: 120_000, MaxTokens: 9_000}, 0, 9_000, 4_500, 2_250},
		"layer one's own start":          {Known{Window: 8192, Trigger: 0.8, MicroFrom: &own}, 6554, 5243, 777, 1310},
		"layer one always":               {Known{Window: 8192, Trigger: 0.8, MicroFrom: &zero}, 6554, 5243, 0, 0},
	} {
		b := row.known.Bounds()
		if b.Usable != row.usable || b.Trigger != row.trigger || b.Micro != row.micro || b.Step != row.gap {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

func TestOver(t *testing.T) {
	tokens, chars := Known{Window: 10_000, Trigger: 0.8, MaxChars: 10}.Bounds(), Known{Trigger: 0.8, MaxChars: 120_000}.Bounds()
	both := Known{Trigger: 0.8, MaxChars: 120_000, MaxTokens: 1000}.Bounds()
	for name, row := range map[string]struct {
		b             Bounds
		tokens, chars int64
		want          bool
	}{
		"n-1 tokens":                          {tokens, 6399, 1 << 40, false},
		"n tokens":                            {tokens, 6400, 1 << 40, false},
		"n+1 tokens":                          {tokens, 6401, 0, true},
		"n-1 characters":                      {chars, 1 << 40, 119_999, false},
		"n characters":                        {chars, 1 << 40, 120_000, false},
		"n+1 characters":                      {chars, 0, 120_001, true},
		"a cap where no window is known":      {both, 1001, 0, true},
		"characters beside it":                {both, 0, 120_001, true},
		"neither of the two":                  {both, 1000, 120_000, false},
		"nothing is known and nothing is set": {Bounds{}, 1 << 40, 1 << 40, false},
	} {
		if got := row.b.Over(row.tokens, row.chars); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What is kept free for the answer may be used by half where the alternative is to
// stop; of an unknown window nobody knows.
func TestHolds(t *testing.T) {
	b := Known{Window: 10_000, Trigger: 0.8}.Bounds()
	if !b.Holds(9000) || b.Holds(9001) || (Bounds{MaxChars: 1}).Holds(0) || !b.Fits(8000) || b.Fits(8001) || !(Bounds{}).Fits(1<<40) {
		t.Errorf("%+v", b)
	}
}

// One result gets a quarter of what is free, all of a batch together a half, and
// each at least something; where no window is known there is no limit.
func TestShare(t *testing.T) {
	b := Known{Window: 10_000, Trigger: 0.8}.Bounds()
	for name, row := range map[string]struct {
		b            Bounds
		fixed, taken int64
		left         int
		want         int64
	}{
		"alone":                    {b, 4000, 0, 1, 1000},
		"of two":                   {b, 4000, 0, 2, 1000},
		"of four":                  {b, 4000, 0, 4, 500},
		"the last, others took it": {b, 4000, 1500, 1, 500},
		"nothing is left":          {b, 4000, 2000, 1, 1},
		"the prompt takes it all":  {b, 9000, 0, 1, 1},
		"no window is known":       {Bounds{MaxChars: 120_000}, 4000, 0, 1, 0},
	} {
		if got := row.b.Share(row.fixed, row.taken, row.left); got != row.want {
			t.Errorf("%s: %d, want %d", name, got, row.want)
		}
	}
}
