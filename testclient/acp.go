package testclient

// acpWord is the argument that the program is started with to speak the Agent Client
// Protocol.
const acpWord = "acp"

func speaksACP(args []string) bool { return len(args) > 0 && args[0] == acpWord }

// nobody is the client of a conversation that begins by itself.
const nobody = "none"

// acpClients are what a section client may name over the Agent Client Protocol: one
// that shows all that it can be shown, and one that declares nothing. Neither has files
// or terminals of its own.
var acpClients = map[string]string{
	"editor": `{"protocolVersion": 1, "clientCapabilities": {"session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}}}}`,
	"plain":  `{"protocolVersion": 1, "clientCapabilities": {}}`,
}
