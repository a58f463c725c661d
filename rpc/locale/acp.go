package locale

// What clients of the Agent Client Protocol show.
const (
	ModeAsk          Message = "Ask"
	ModeAskSays      Message = "Asks before each edit and command."
	ModeEdit         Message = "Edit"
	ModeEditSays     Message = "Edits files in a trusted folder. Asks before commands outside the sandbox."
	ModePlan         Message = "Plan"
	ModePlanSays     Message = "Reads and plans. Changes nothing."
	ModeFull         Message = "Full access"
	ModeFullSays     Message = "Asks nothing, until you switch back or this program ends."
	ConfirmFull      Message = "Everything that would be asked is allowed until you switch back or this program ends."
	AllowEverything  Message = "Allow everything"
	ModeOption       Message = "Mode"
	ModelOption      Message = "Model"
	EffortOption     Message = "Reasoning effort"
	EffortDefault    Message = "Default"
	AllowSession     Message = "Allow for this session"
	AlwaysAllow      Message = "Always allow"
	RejectAndStop    Message = "Reject and stop"
	SkipQuestion     Message = "Skip"
	OtherAnswer      Message = "Your own answer"
	SummarisedTo     Message = "The conversation was summarised: %s → %s tokens"
	NotSummarisedNow Message = "The conversation could not be summarised"
	ModelSwitched    Message = "Model %s → %s (%s)"
	TaskDropped      Message = "%s (dropped)"
	SetByEnvironment Message = "Environment"
	SetEnvironment   Message = "Set OPENAI_API_KEY, or the key of another provider, and start the agent again."
	SetInTerminal    Message = "Set up in a terminal"
	SetUpSays        Message = "Choose a provider and a model, and store the key."
	NoModelYet       Message = "No model is set up. Set OPENAI_API_KEY, or the key of another provider, or run: agent-sidecar setup"
)

// risks are what a call may do, by the word of the wire.
var risks = map[string]Message{
	"read": "It reads.", "write": "It changes files.", "execute": "It runs a program.", "network": "It can reach the network.",
	"destructive": "It can destroy what cannot be brought back.", "loop": "It may go in circles.",
}

// Risk says what a call may do; a word that is not known is shown as it is.
func Risk(locale, risk string) string {
	if words, known := risks[risk]; known {
		return words.In(locale)
	}
	return risk
}
