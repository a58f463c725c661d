// Package text is every word that a person reads on an editor's surface or in a
// terminal, in every language there is, in one table. It holds no logic; wire
// names and texts for models are not here.
package text

import (
	"fmt"
	"strings"
)

// Message is one text in every language. Its verbs are those of package fmt.
type Message struct{ en, zh string }

// In is the text in the language of a locale ("zh-cn", "en-US"); English where
// there is no other.
func (m Message) In(locale string, args ...any) string {
	form := m.en
	if strings.HasPrefix(strings.ToLower(locale), "zh") && m.zh != "" {
		form = m.zh
	}
	if len(args) == 0 {
		return form
	}
	return fmt.Sprintf(form, args...)
}

// Said is a text with what it speaks of, in no language yet.
type Said struct {
	Message Message
	Args    []any
}

// With is m about args.
func (m Message) With(args ...any) Said { return Said{m, args} }

// In is the text in the language of a locale.
func (s Said) In(locale string) string { return s.Message.In(locale, s.Args...) }

// Approvals, on every surface.
var (
	AllowOnce        = Message{"Allow once", "允许一次"}
	AllowOnceOf      = Message{"Allow once: %s", "允许一次：%s"}
	AlwaysAllowOf    = Message{"Always allow: %s", "始终允许：%s"}
	Reject           = Message{"Reject", "拒绝"}
	RejectOf         = Message{"Reject: %s", "拒绝：%s"}
	Review           = Message{"Review", "查看"}
	ReviewOf         = Message{"Review diff: %s", "查看差异：%s"}
	ReviewOfText     = Message{"Review: %s", "查看：%s"}
	ReviewTooLong    = Message{"This editor cannot show the review, and it is too long for a message. Open it to allow this: %s", "此编辑器无法显示该审阅内容，且内容过长，无法作为消息显示。请打开此文件后再允许：%s"}
	AgentAsks        = Message{"The agent asks: %s\n%s", "代理请求：%s\n%s"}
	AlwaysEverywhere = Message{"Always, in every folder: %s", "在所有文件夹中始终允许：%s"}
	AlwaysWorkspace  = Message{"Always in this workspace: %s", "在此工作区始终允许：%s"}
)

// OpenByHand says where a file is that the editor does not show by itself.
var OpenByHand = Message{"Open this file: %s", "请打开此文件：%s"}

// EditLabel names an edit of ours in the editor's own list of what can be undone.
var EditLabel = Message{"Agent: edit %s", "代理：编辑 %s"}

// Runs.
var (
	ProgressTitle = Message{"Agent: %s", "代理：%s"}
	ProgressFull  = Message{"Agent, full access: %s", "代理，完全访问：%s"}
	Thinking      = Message{"thinking…", "思考中…"}
	TryingAgain   = Message{"trying again", "重试"}
	Compacting    = Message{"compacting…", "压缩对话中…"}
	Retrying      = Message{"retrying: %s", "重试：%s"}
	WaitingForYou = Message{"waiting for you: %s", "等待你的确认：%s"}
	callsSoFar    = Message{"%d calls", "%d 次调用"}
	oneCall       = Message{"1 call", "1 次调用"}
	Done          = Message{"done", "完成"}
	doneFiles     = Message{"done · %d files", "完成 · %d 个文件"}
	doneFile      = Message{"done · 1 file", "完成 · 1 个文件"}
	Cancelled     = Message{"cancelled", "已取消"}
	Failed        = Message{"failed: %s", "失败：%s"}
	RunDone       = Message{"Agent: done. %s", "代理：完成。%s"}
	RunFailed     = Message{"Agent: %s", "代理：%s"}
	RunStopped    = Message{"Agent: stopped (%s).", "代理：已停止（%s）。"}
	RunSelection  = Message{"Agent: run on the selection", "代理：处理选中内容"}
	RunMention    = Message{"Agent: “%s”", "代理：“%s”"}
	RunPrompt     = Message{"Run this prompt", "运行此提示词"}
	RunPromptFile = Message{"Agent: run this prompt", "代理：运行此提示词"}
	WhichModel    = Message{"Which one shall I use? It is stored in your configuration, and the prompt is run again.", "要使用哪一个？它会保存到你的配置中，并重新运行该提示词。"}
	ChooseModel   = Message{"Choose one among the code actions, or name any other with the command %s.", "请在代码操作中选择一个，或用命令 %s 指定其他模型。"}
	UseModelOf    = Message{"Agent: use the model %s", "代理：使用模型 %s"}
	StopRun       = Message{"Agent: stop the run", "代理：停止"}
)

// Full access, told to clients that show it nowhere.
var (
	FullAccess       = Message{"full access", "完全访问"}
	FullAccessBegins = Message{"Agent: session %s has full access. It asks nothing until the mode is changed back or the program ends.", "代理：会话 %s 拥有完全访问权限。在切换回原模式或程序结束之前，其中的操作不再询问。"}
	FullAccessEnds   = Message{"Agent: session %s no longer has full access. It asks again.", "代理：会话 %s 不再拥有完全访问权限。操作会重新询问你。"}
)

// Summaries of a conversation.
var (
	Summarised         = Message{"The conversation was summarised.", "对话已生成摘要。"}
	NothingToSummarise = Message{"There is nothing older to summarise.", "没有更早的内容可以生成摘要。"}
	NotSummarised      = Message{"No summary was made: %s", "未生成摘要：%s"}
	AutoCompactOff     = Message{"Three summaries in a row have failed: automatic summaries are off for this session.", "连续三次生成摘要失败：此会话不再自动压缩。"}
)

// Undo.
var (
	undoneFiles   = Message{"Agent: %d files are as they were before.", "代理：已恢复 %d 个文件。"}
	undoneFile    = Message{"Agent: 1 file is as it was before.", "代理：已恢复 1 个文件。"}
	NothingUndone = Message{"Agent: there is nothing to undo.", "代理：没有可撤销的更改。"}
	LeftAsItIs    = Message{"Agent: left as it is: %s", "代理：保持不变：%s"}
)

// In the place of a document that cannot be shown as text.
var (
	NoText  = Message{"(This is not text: %d bytes.)", "（这不是文本：%d 字节。）"}
	TooLong = Message{"(This is too long to show here: %d bytes.)", "（内容过长，无法在此显示：%d 字节。）"}
)

// Commands in the background.
var (
	JobExited     = Message{"Background command ended with exit code %d: %s", "后台命令已结束，退出码 %d：%s"}
	JobNotStarted = Message{"Background command could not be started: %s: %s", "后台命令无法启动：%s：%s"}
	JobTimedOut   = Message{"Background command timed out after %d ms and was stopped: %s", "后台命令在 %d 毫秒后超时，已停止：%s"}
	JobFailed     = Message{"Background command failed: %s: %s", "后台命令失败：%s：%s"}
	JobSignalled  = Message{"Background command was ended by signal %s (exit code %d): %s", "后台命令被信号 %s 终止（退出码 %d）：%s"}
)

// MemoryNoted lists what a run has written into memory, and names the files.
var MemoryNoted = Message{"Noted for later sessions: %s. To undo it, undo the changes of this run in %s.", "已为后续会话记录：%s。如需收回，请撤销本次运行对 %s 的更改。"}

// ToolsLeftOut says what a small window has no room for.
var ToolsLeftOut = Message{"The window of %s is small, so these tools are left out: %s. An agent file that names its tools has all of those.", "%s 的上下文窗口较小，因此省略了这些工具：%s。在代理文件中列出工具的代理会保留它所列的全部工具。"}

// SandboxUnasked is said the first time that a command runs without a question.
var SandboxUnasked = Message{
	"In this workspace, commands run in the sandbox without asking you first. To be asked again, run: agent-sidecar config set agents.runtime.sandbox.autoAllow off",
	"在此工作区，命令会在沙箱中直接运行，不再询问。如需重新询问，请运行：agent-sidecar config set agents.runtime.sandbox.autoAllow off",
}

// AskUnasked is asked once where commands could run in the sandbox without a question and
// the person has not yet said whether they may.
var (
	AskUnasked    = Message{"Run commands in the sandbox without asking you?", "在沙箱中直接运行命令而不询问你吗？"}
	UnaskedReason = Message{
		"There a command can change only the workspace, has no network and cannot read your keys. Anything that needs more still asks. Until you answer, every command asks.",
		"在沙箱中，命令只能更改工作区，不能使用网络，也看不到你的密钥。需要更多权限的操作仍会询问。在你回答之前，每个命令都会询问。",
	}
	RunUnasked = Message{"Run them without asking", "直接运行"}
	KeepAsking = Message{"Keep asking", "继续询问"}
)

// Trust.
var (
	TrustFolder  = Message{"Do you trust the files in %s?", "你信任 %s 中的文件吗？"}
	TrustIt      = Message{"Trust this folder", "信任此文件夹"}
	TrustThem    = Message{"Trust these folders", "信任这些文件夹"}
	NotNow       = Message{"Not now", "暂不"}
	UseIt        = Message{"Use it", "使用"}
	UseSettings  = Message{"Use these settings", "使用这些设置"}
	UseMemory    = Message{"%s was changed outside. Use it?", "%s 在外部被修改。要使用它吗？"}
	MemoryReason = Message{"What it says becomes part of every prompt here. Until you approve it, it is left out.", "其内容会成为此处每个提示词的一部分。在你确认之前不会使用。"}
	TrustReason  = Message{"Until you trust it, I ignore its AGENTS.md and ask before every edit, command and download.", "在你信任它之前，我会忽略其中的 AGENTS.md，并在每次编辑、命令和下载前询问。"}
	AcceptInline = Message{"Apply the editor's settings for agent-sidecar?", "允许编辑器中的 agent-sidecar 设置生效吗？"}
	InlineReason = Message{"They allow more than your own configuration does, and settings can come from a repository.", "这些设置比你自己的配置允许更多，而设置可能来自仓库。"}
)

// Connections.
var (
	MarkerVersion  = Message{"agent-sidecar uses version 1 of its protocol, and the client names no version that it knows; it is treated as a plain LSP client.", "agent-sidecar 使用协议版本 1，客户端未声明该版本；按普通 LSP 客户端处理。"}
	ConfigProblems = Message{"agent-sidecar configuration: %s", "agent-sidecar 配置：%s"}
	ConfigMended   = Message{"agent-sidecar configuration: read again, without problems", "agent-sidecar 配置：已重新读取，没有问题"}
	FolderIgnored  = Message{"agent-sidecar ignores the workspace folder %s: it can work only in folders on a disk.", "agent-sidecar 忽略工作区文件夹 %s：只支持本地文件夹。"}
)

// Calls is how many tool calls there were.
func Calls(locale string, n int) string { return counted(oneCall, callsSoFar, locale, n) }

// DoneWith says that a run is done and how many files it changed.
func DoneWith(locale string, files int) string { return counted(doneFile, doneFiles, locale, files) }

// Undone says how many files an undo brought back.
func Undone(locale string, files int) string { return counted(undoneFile, undoneFiles, locale, files) }

func counted(one, many Message, locale string, n int) string {
	if n == 1 {
		return one.In(locale)
	}
	return many.In(locale, n)
}
