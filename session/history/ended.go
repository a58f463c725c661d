package history

// StopReason is how a run ended.
type StopReason string

// The reasons why a run ends.
const (
	StopEndTurn     StopReason = "end_turn"
	StopMaxTurns    StopReason = "max_turns"
	StopMaxTokens   StopReason = "max_tokens"
	StopLimit       StopReason = "limit"
	StopDoomLoop    StopReason = "doom_loop"
	StopRefusal     StopReason = "refusal"
	StopCancelled   StopReason = "cancelled"
	StopError       StopReason = "error"
	StopInterrupted StopReason = "interrupted"
)

// Status is what became of a call or a sub-agent, of which none is rejected.
type Status string

// The ends of a call.
const (
	StatusCompleted   Status = "completed"
	StatusFailed      Status = "failed"
	StatusRejected    Status = "rejected"
	StatusCancelled   Status = "cancelled"
	StatusInterrupted Status = "interrupted" // its process died
)
