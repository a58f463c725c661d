package config

// Compaction is how conversations are made to fit a window.
type Compaction struct {
	Auto          bool
	MaxChars      int64
	RecentTurns   int
	MaxTokens     int64
	Trigger       float64
	OutputBudget  int64
	Model         string
	SummaryPrefix string
	Micro         struct {
		KeepRecent int
		MinTokens  *int64 // nil: half the trigger
	}
}

// OwnCompaction is what an agent's file says of it instead of the
// configuration. What is zero is not said.
type OwnCompaction struct {
	Auto        *bool
	Trigger     float64 // part of the usable window, above 0, at most 1
	MaxTokens   int64
	RecentTurns int
	Model       string
}

// Over is what applies to the agent.
func (o OwnCompaction) Over(c Compaction) Compaction {
	if o.Auto != nil {
		c.Auto = *o.Auto
	}
	if o.Trigger > 0 {
		c.Trigger = o.Trigger
	}
	if o.MaxTokens > 0 {
		c.MaxTokens = o.MaxTokens
	}
	if o.RecentTurns > 0 {
		c.RecentTurns = o.RecentTurns
	}
	if o.Model != "" {
		c.Model = o.Model
	}
	return c
}
