// Code generated from schema.json by go test rpc/acp/v1/generate*_test.go -update; DO NOT EDIT.

package v1

import "encoding/json"

// The methods.
const (
	MethodInitialize               = "initialize"
	MethodAuthenticate             = "authenticate"
	MethodSessionNew               = "session/new"
	MethodSessionLoad              = "session/load"
	MethodSessionResume            = "session/resume"
	MethodSessionList              = "session/list"
	MethodSessionClose             = "session/close"
	MethodSessionDelete            = "session/delete"
	MethodSessionFork              = "session/fork"
	MethodSessionPrompt            = "session/prompt"
	MethodSessionCancel            = "session/cancel"
	MethodSessionSetMode           = "session/set_mode"
	MethodSessionSetConfigOption   = "session/set_config_option"
	MethodSessionSetTitle          = "session/set_title"
	MethodSessionUpdate            = "session/update"
	MethodSessionRequestPermission = "session/request_permission"
	MethodElicitationCreate        = "elicitation/create"
	MethodElicitationComplete      = "elicitation/complete"
	MethodFSReadTextFile           = "fs/read_text_file"
	MethodFSWriteTextFile          = "fs/write_text_file"
	MethodCancelRequest            = "$/cancel_request"
)

// AgentAuthCapabilities is part of AgentCapabilities.
type AgentAuthCapabilities struct {
	Status *Empty          `json:"status,omitzero"`
	Logout *Empty          `json:"logout,omitzero"`
	Meta   json.RawMessage `json:"_meta,omitzero"`
}

// AgentCapabilities is part of InitializeResponse.
type AgentCapabilities struct {
	LoadSession         bool                   `json:"loadSession,omitzero"`
	PromptCapabilities  *PromptCapabilities    `json:"promptCapabilities,omitzero"`
	MCPCapabilities     *MCPCapabilities       `json:"mcpCapabilities,omitzero"`
	SessionCapabilities *SessionCapabilities   `json:"sessionCapabilities,omitzero"`
	Auth                *AgentAuthCapabilities `json:"auth,omitzero"`
	Providers           *Empty                 `json:"providers,omitzero"`
	Meta                json.RawMessage        `json:"_meta,omitzero"`
}

// Annotations is part of AudioContent, EmbeddedResource, ImageContent and others.
type Annotations struct {
	Audience     []Role          `json:"audience,omitzero"`
	LastModified string          `json:"lastModified,omitzero"`
	Priority     *float64        `json:"priority,omitzero"`
	Meta         json.RawMessage `json:"_meta,omitzero"`
}

// AudioContent is part of ContentBlock.
type AudioContent struct {
	Annotations *Annotations    `json:"annotations,omitzero"`
	Data        string          `json:"data"`
	MIMEType    string          `json:"mimeType"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// AuthCapabilities is part of ClientCapabilities.
type AuthCapabilities struct {
	Terminal bool            `json:"terminal,omitzero"`
	Meta     json.RawMessage `json:"_meta,omitzero"`
}

// AuthMethod is part of InitializeResponse. One of its forms is set; type says which.
type AuthMethod struct {
	Terminal *AuthMethodTerminal `json:"-"`
	Agent    *AuthMethodAgent    `json:"-"`

	Unknown string          `json:"-"` // the word of a form that is not known
	Other   json.RawMessage `json:"-"` // what came instead of a known form
}

func (u *AuthMethod) forms() []form {
	return []form{
		{"terminal", false, "", &u.Terminal},
		{"agent", true, "", &u.Agent},
	}
}

// MarshalJSON writes the form that is set.
func (u AuthMethod) MarshalJSON() ([]byte, error) {
	type members AuthMethod
	return encodeUnion("type", members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *AuthMethod) UnmarshalJSON(text []byte) (err error) {
	type members AuthMethod
	*u = AuthMethod{}
	if err = json.Unmarshal(text, (*members)(u)); err == nil {
		u.Unknown, u.Other, err = decodeUnion(text, "type", u.forms())
	}
	return err
}

// AuthMethodAgent is part of AuthMethod.
type AuthMethodAgent struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitzero"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// AuthMethodTerminal is part of AuthMethod.
type AuthMethodTerminal struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description,omitzero"`
	Args        []string          `json:"args,omitzero"`
	Env         map[string]string `json:"env,omitzero"`
	Meta        json.RawMessage   `json:"_meta,omitzero"`
}

// AuthenticateRequest is what authenticate takes.
type AuthenticateRequest struct {
	MethodID string          `json:"methodId"`
	Meta     json.RawMessage `json:"_meta,omitzero"`
}

// AuthenticateResponse is what authenticate gives back.
type AuthenticateResponse struct {
	Meta json.RawMessage `json:"_meta,omitzero"`
}

// AvailableCommand is part of AvailableCommandsUpdate.
type AvailableCommand struct {
	Name        string                    `json:"name"`
	Description string                    `json:"description"`
	Input       *UnstructuredCommandInput `json:"input,omitzero"`
	Meta        json.RawMessage           `json:"_meta,omitzero"`
}

// AvailableCommandsUpdate is part of SessionUpdate.
type AvailableCommandsUpdate struct {
	AvailableCommands List[AvailableCommand] `json:"availableCommands"`
	Meta              json.RawMessage        `json:"_meta,omitzero"`
}

// BlobResourceContents is part of EmbeddedResourceResource.
type BlobResourceContents struct {
	Blob     string          `json:"blob"`
	MIMEType string          `json:"mimeType,omitzero"`
	URI      string          `json:"uri"`
	Meta     json.RawMessage `json:"_meta,omitzero"`
}

// BooleanPropertySchema is part of ElicitationPropertySchema.
type BooleanPropertySchema struct {
	Title       string          `json:"title,omitzero"`
	Description string          `json:"description,omitzero"`
	Default     *bool           `json:"default,omitzero"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// CancelNotification is what session/cancel says.
type CancelNotification struct {
	SessionID string          `json:"sessionId"`
	Meta      json.RawMessage `json:"_meta,omitzero"`
}

// CancelRequestNotification is what $/cancel_request says.
type CancelRequestNotification struct {
	RequestID json.RawMessage `json:"requestId"`
	Meta      json.RawMessage `json:"_meta,omitzero"`
}

// ClientCapabilities is part of InitializeRequest.
type ClientCapabilities struct {
	FS          *FileSystemCapabilities    `json:"fs,omitzero"`
	Terminal    bool                       `json:"terminal,omitzero"`
	Session     *ClientSessionCapabilities `json:"session,omitzero"`
	Subagents   *Empty                     `json:"subagents,omitzero"`
	Plan        *Empty                     `json:"plan,omitzero"`
	Auth        *AuthCapabilities          `json:"auth,omitzero"`
	Elicitation *ElicitationCapabilities   `json:"elicitation,omitzero"`
	Meta        json.RawMessage            `json:"_meta,omitzero"`
}

// ClientSessionCapabilities is part of ClientCapabilities.
type ClientSessionCapabilities struct {
	Compaction    *Empty                            `json:"compaction,omitzero"`
	ConfigOptions *SessionConfigOptionsCapabilities `json:"configOptions,omitzero"`
	Notices       *Empty                            `json:"notices,omitzero"`
	Meta          json.RawMessage                   `json:"_meta,omitzero"`
}

// CloseSessionRequest is what session/close takes.
type CloseSessionRequest struct {
	SessionID string          `json:"sessionId"`
	Meta      json.RawMessage `json:"_meta,omitzero"`
}

// CloseSessionResponse is what session/close gives back.
type CloseSessionResponse struct {
	Meta json.RawMessage `json:"_meta,omitzero"`
}

// CompactionStatus is one of these words, or another one. It is part of CompactionUpdate.
type CompactionStatus string

// The words of CompactionStatus.
const (
	CompactionStatusInProgress CompactionStatus = "in_progress"
	CompactionStatusCompleted  CompactionStatus = "completed"
	CompactionStatusFailed     CompactionStatus = "failed"
	CompactionStatusCancelled  CompactionStatus = "cancelled"
)

// CompactionSummaryChunk is part of SessionUpdate.
type CompactionSummaryChunk struct {
	CompactionID string          `json:"compactionId"`
	Content      ContentBlock    `json:"content"`
	Meta         json.RawMessage `json:"_meta,omitzero"`
}

// CompactionUpdate is part of SessionUpdate.
type CompactionUpdate struct {
	CompactionID string           `json:"compactionId"`
	Status       CompactionStatus `json:"status"`
	Summary      []ContentBlock   `json:"summary,omitzero"`
	Error        string           `json:"error,omitzero"`
	Meta         json.RawMessage  `json:"_meta,omitzero"`
}

// CompleteElicitationNotification is what elicitation/complete says.
type CompleteElicitationNotification struct {
	ElicitationID string          `json:"elicitationId"`
	Meta          json.RawMessage `json:"_meta,omitzero"`
}

// ConfigOptionUpdate is part of SessionUpdate.
type ConfigOptionUpdate struct {
	ConfigOptions List[SessionConfigOption] `json:"configOptions"`
	Meta          json.RawMessage           `json:"_meta,omitzero"`
}

// Content is part of ToolCallContent.
type Content struct {
	Content ContentBlock    `json:"content"`
	Meta    json.RawMessage `json:"_meta,omitzero"`
}

// ContentBlock is part of CompactionSummaryChunk, CompactionUpdate, Content and others. One of its forms is set; type says which.
type ContentBlock struct {
	Text         *TextContent      `json:"-"`
	Image        *ImageContent     `json:"-"`
	Audio        *AudioContent     `json:"-"`
	ResourceLink *ResourceLink     `json:"-"`
	Resource     *EmbeddedResource `json:"-"`

	Unknown string          `json:"-"` // the word of a form that is not known
	Other   json.RawMessage `json:"-"` // what came instead of a known form
}

func (u *ContentBlock) forms() []form {
	return []form{
		{"text", false, "", &u.Text},
		{"image", false, "", &u.Image},
		{"audio", false, "", &u.Audio},
		{"resource_link", false, "", &u.ResourceLink},
		{"resource", false, "", &u.Resource},
	}
}

// MarshalJSON writes the form that is set.
func (u ContentBlock) MarshalJSON() ([]byte, error) {
	type members ContentBlock
	return encodeUnion("type", members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *ContentBlock) UnmarshalJSON(text []byte) (err error) {
	type members ContentBlock
	*u = ContentBlock{}
	if err = json.Unmarshal(text, (*members)(u)); err == nil {
		u.Unknown, u.Other, err = decodeUnion(text, "type", u.forms())
	}
	return err
}

// ContentChunk is part of SessionUpdate.
type ContentChunk struct {
	Content   ContentBlock    `json:"content"`
	MessageID string          `json:"messageId,omitzero"`
	Meta      json.RawMessage `json:"_meta,omitzero"`
}

// Cost is part of UsageUpdate.
type Cost struct {
	Amount   float64         `json:"amount"`
	Currency string          `json:"currency"`
	Meta     json.RawMessage `json:"_meta,omitzero"`
}

// CreateElicitationRequest is what elicitation/create takes. One of its forms is set; mode says which.
type CreateElicitationRequest struct {
	Message string          `json:"message"`
	Meta    json.RawMessage `json:"_meta,omitzero"`

	Form *ElicitationFormMode `json:"-"`
	URL  *ElicitationURLMode  `json:"-"`

	Unknown string          `json:"-"` // the word of a form that is not known
	Other   json.RawMessage `json:"-"` // what came instead of a known form
}

func (u *CreateElicitationRequest) forms() []form {
	return []form{
		{"form", false, "", &u.Form},
		{"url", false, "", &u.URL},
	}
}

// MarshalJSON writes the form that is set.
func (u CreateElicitationRequest) MarshalJSON() ([]byte, error) {
	type members CreateElicitationRequest
	return encodeUnion("mode", members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *CreateElicitationRequest) UnmarshalJSON(text []byte) (err error) {
	type members CreateElicitationRequest
	*u = CreateElicitationRequest{}
	if err = json.Unmarshal(text, (*members)(u)); err == nil {
		u.Unknown, u.Other, err = decodeUnion(text, "mode", u.forms())
	}
	return err
}

// CreateElicitationResponse is what elicitation/create gives back. One of its forms is set; action says which.
type CreateElicitationResponse struct {
	Meta json.RawMessage `json:"_meta,omitzero"`

	Accept  *ElicitationAcceptAction `json:"-"`
	Decline *struct{}                `json:"-"`
	Cancel  *struct{}                `json:"-"`

	Unknown string          `json:"-"` // the word of a form that is not known
	Other   json.RawMessage `json:"-"` // what came instead of a known form
}

func (u *CreateElicitationResponse) forms() []form {
	return []form{
		{"accept", false, "", &u.Accept},
		{"decline", false, "", &u.Decline},
		{"cancel", false, "", &u.Cancel},
	}
}

// MarshalJSON writes the form that is set.
func (u CreateElicitationResponse) MarshalJSON() ([]byte, error) {
	type members CreateElicitationResponse
	return encodeUnion("action", members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *CreateElicitationResponse) UnmarshalJSON(text []byte) (err error) {
	type members CreateElicitationResponse
	*u = CreateElicitationResponse{}
	if err = json.Unmarshal(text, (*members)(u)); err == nil {
		u.Unknown, u.Other, err = decodeUnion(text, "action", u.forms())
	}
	return err
}

// CurrentModeUpdate is part of SessionUpdate.
type CurrentModeUpdate struct {
	CurrentModeID string          `json:"currentModeId"`
	Meta          json.RawMessage `json:"_meta,omitzero"`
}

// DeleteSessionRequest is what session/delete takes.
type DeleteSessionRequest struct {
	SessionID string          `json:"sessionId"`
	Meta      json.RawMessage `json:"_meta,omitzero"`
}

// DeleteSessionResponse is what session/delete gives back.
type DeleteSessionResponse struct {
	Meta json.RawMessage `json:"_meta,omitzero"`
}

// Diff is part of ToolCallContent.
type Diff struct {
	Path    string          `json:"path"`
	OldText *string         `json:"oldText,omitzero"`
	NewText string          `json:"newText"`
	Meta    json.RawMessage `json:"_meta,omitzero"`
}

// ElicitationAcceptAction is part of CreateElicitationResponse.
type ElicitationAcceptAction struct {
	Content map[string]json.RawMessage `json:"content,omitzero"`
}

// ElicitationCapabilities is part of ClientCapabilities.
type ElicitationCapabilities struct {
	Form *Empty          `json:"form,omitzero"`
	URL  *Empty          `json:"url,omitzero"`
	Meta json.RawMessage `json:"_meta,omitzero"`
}

// ElicitationFormMode is part of CreateElicitationRequest. One of its forms is set.
type ElicitationFormMode struct {
	RequestedSchema ElicitationSchema `json:"requestedSchema"`

	Session *ElicitationSessionScope `json:"-"`
	Request *ElicitationRequestScope `json:"-"`

	Unknown string          `json:"-"` // the word of a form that is not known
	Other   json.RawMessage `json:"-"` // what came instead of a known form
}

func (u *ElicitationFormMode) forms() []form {
	return []form{
		{"session", true, "sessionId", &u.Session},
		{"request", true, "requestId", &u.Request},
	}
}

// MarshalJSON writes the form that is set.
func (u ElicitationFormMode) MarshalJSON() ([]byte, error) {
	type members ElicitationFormMode
	return encodeUnion("", members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *ElicitationFormMode) UnmarshalJSON(text []byte) (err error) {
	type members ElicitationFormMode
	*u = ElicitationFormMode{}
	if err = json.Unmarshal(text, (*members)(u)); err == nil {
		u.Unknown, u.Other, err = decodeUnion(text, "", u.forms())
	}
	return err
}

// ElicitationPropertySchema is part of ElicitationSchema. One of its forms is set; type says which.
type ElicitationPropertySchema struct {
	String  *StringPropertySchema      `json:"-"`
	Number  *NumberPropertySchema      `json:"-"`
	Integer *IntegerPropertySchema     `json:"-"`
	Boolean *BooleanPropertySchema     `json:"-"`
	Array   *MultiSelectPropertySchema `json:"-"`

	Unknown string          `json:"-"` // the word of a form that is not known
	Other   json.RawMessage `json:"-"` // what came instead of a known form
}

func (u *ElicitationPropertySchema) forms() []form {
	return []form{
		{"string", false, "", &u.String},
		{"number", false, "", &u.Number},
		{"integer", false, "", &u.Integer},
		{"boolean", false, "", &u.Boolean},
		{"array", false, "", &u.Array},
	}
}

// MarshalJSON writes the form that is set.
func (u ElicitationPropertySchema) MarshalJSON() ([]byte, error) {
	type members ElicitationPropertySchema
	return encodeUnion("type", members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *ElicitationPropertySchema) UnmarshalJSON(text []byte) (err error) {
	type members ElicitationPropertySchema
	*u = ElicitationPropertySchema{}
	if err = json.Unmarshal(text, (*members)(u)); err == nil {
		u.Unknown, u.Other, err = decodeUnion(text, "type", u.forms())
	}
	return err
}

// ElicitationRequestScope is part of ElicitationFormMode and ElicitationURLMode.
type ElicitationRequestScope struct {
	RequestID json.RawMessage `json:"requestId"`
}

// ElicitationSchema is part of ElicitationFormMode.
type ElicitationSchema struct {
	Type        ElicitationSchemaType                `json:"type,omitzero"`
	Title       string                               `json:"title,omitzero"`
	Properties  map[string]ElicitationPropertySchema `json:"properties,omitzero"`
	Required    []string                             `json:"required,omitzero"`
	Description string                               `json:"description,omitzero"`
	Meta        json.RawMessage                      `json:"_meta,omitzero"`
}

// ElicitationSchemaType is one of these words. It is part of ElicitationSchema.
type ElicitationSchemaType string

// The words of ElicitationSchemaType.
const (
	ElicitationSchemaTypeObject ElicitationSchemaType = "object"
)

// ElicitationSessionScope is part of ElicitationFormMode and ElicitationURLMode.
type ElicitationSessionScope struct {
	SessionID  string `json:"sessionId"`
	ToolCallID string `json:"toolCallId,omitzero"`
}

// ElicitationURLMode is part of CreateElicitationRequest. One of its forms is set.
type ElicitationURLMode struct {
	ElicitationID string `json:"elicitationId"`
	URL           string `json:"url"`

	Session *ElicitationSessionScope `json:"-"`
	Request *ElicitationRequestScope `json:"-"`

	Unknown string          `json:"-"` // the word of a form that is not known
	Other   json.RawMessage `json:"-"` // what came instead of a known form
}

func (u *ElicitationURLMode) forms() []form {
	return []form{
		{"session", true, "sessionId", &u.Session},
		{"request", true, "requestId", &u.Request},
	}
}

// MarshalJSON writes the form that is set.
func (u ElicitationURLMode) MarshalJSON() ([]byte, error) {
	type members ElicitationURLMode
	return encodeUnion("", members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *ElicitationURLMode) UnmarshalJSON(text []byte) (err error) {
	type members ElicitationURLMode
	*u = ElicitationURLMode{}
	if err = json.Unmarshal(text, (*members)(u)); err == nil {
		u.Unknown, u.Other, err = decodeUnion(text, "", u.forms())
	}
	return err
}

// EmbeddedResource is part of ContentBlock.
type EmbeddedResource struct {
	Annotations *Annotations             `json:"annotations,omitzero"`
	Resource    EmbeddedResourceResource `json:"resource"`
	Meta        json.RawMessage          `json:"_meta,omitzero"`
}

// EmbeddedResourceResource is part of EmbeddedResource. One of its forms is set.
type EmbeddedResourceResource struct {
	Text *TextResourceContents `json:"-"`
	Blob *BlobResourceContents `json:"-"`

	Unknown string          `json:"-"` // the word of a form that is not known
	Other   json.RawMessage `json:"-"` // what came instead of a known form
}

func (u *EmbeddedResourceResource) forms() []form {
	return []form{
		{"text", true, "text", &u.Text},
		{"blob", true, "blob", &u.Blob},
	}
}

// MarshalJSON writes the form that is set.
func (u EmbeddedResourceResource) MarshalJSON() ([]byte, error) {
	type members EmbeddedResourceResource
	return encodeUnion("", members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *EmbeddedResourceResource) UnmarshalJSON(text []byte) (err error) {
	type members EmbeddedResourceResource
	*u = EmbeddedResourceResource{}
	if err = json.Unmarshal(text, (*members)(u)); err == nil {
		u.Unknown, u.Other, err = decodeUnion(text, "", u.forms())
	}
	return err
}

// EnumOption is part of StringPropertySchema and TitledMultiSelectItems.
type EnumOption struct {
	Const       string          `json:"const"`
	Title       string          `json:"title"`
	Description string          `json:"description,omitzero"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// EnvVariable is part of MCPServerStdio.
type EnvVariable struct {
	Name  string          `json:"name"`
	Value string          `json:"value"`
	Meta  json.RawMessage `json:"_meta,omitzero"`
}

// FileSystemCapabilities is part of ClientCapabilities.
type FileSystemCapabilities struct {
	ReadTextFile  bool            `json:"readTextFile,omitzero"`
	WriteTextFile bool            `json:"writeTextFile,omitzero"`
	Meta          json.RawMessage `json:"_meta,omitzero"`
}

// ForkSessionRequest is what session/fork takes.
type ForkSessionRequest struct {
	SessionID             string          `json:"sessionId"`
	Cwd                   string          `json:"cwd"`
	AdditionalDirectories []string        `json:"additionalDirectories,omitzero"`
	MCPServers            []MCPServer     `json:"mcpServers,omitzero"`
	SystemPrompt          *SystemPrompt   `json:"systemPrompt,omitzero"`
	Meta                  json.RawMessage `json:"_meta,omitzero"`
}

// ForkSessionResponse is what session/fork gives back.
type ForkSessionResponse struct {
	SessionID     string                `json:"sessionId"`
	Modes         *SessionModeState     `json:"modes,omitzero"`
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero"`
	Meta          json.RawMessage       `json:"_meta,omitzero"`
}

// HTTPHeader is part of MCPServerHTTP and MCPServerSSE.
type HTTPHeader struct {
	Name  string          `json:"name"`
	Value string          `json:"value"`
	Meta  json.RawMessage `json:"_meta,omitzero"`
}

// ImageContent is part of ContentBlock.
type ImageContent struct {
	Annotations *Annotations    `json:"annotations,omitzero"`
	Data        string          `json:"data"`
	MIMEType    string          `json:"mimeType"`
	URI         string          `json:"uri,omitzero"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// Implementation is part of InitializeRequest and InitializeResponse.
type Implementation struct {
	Name    string          `json:"name"`
	Title   string          `json:"title,omitzero"`
	Version string          `json:"version"`
	Meta    json.RawMessage `json:"_meta,omitzero"`
}

// InitializeRequest is what initialize takes.
type InitializeRequest struct {
	ProtocolVersion    int                 `json:"protocolVersion"`
	ClientCapabilities *ClientCapabilities `json:"clientCapabilities,omitzero"`
	ClientInfo         *Implementation     `json:"clientInfo,omitzero"`
	Meta               json.RawMessage     `json:"_meta,omitzero"`
}

// InitializeResponse is what initialize gives back.
type InitializeResponse struct {
	ProtocolVersion   int                `json:"protocolVersion"`
	AgentCapabilities *AgentCapabilities `json:"agentCapabilities,omitzero"`
	AuthMethods       []AuthMethod       `json:"authMethods,omitzero"`
	AgentInfo         *Implementation    `json:"agentInfo,omitzero"`
	Meta              json.RawMessage    `json:"_meta,omitzero"`
}

// IntegerPropertySchema is part of ElicitationPropertySchema.
type IntegerPropertySchema struct {
	Title       string          `json:"title,omitzero"`
	Description string          `json:"description,omitzero"`
	Minimum     *int            `json:"minimum,omitzero"`
	Maximum     *int            `json:"maximum,omitzero"`
	Default     *int            `json:"default,omitzero"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// ListSessionsRequest is what session/list takes.
type ListSessionsRequest struct {
	Cwd      string               `json:"cwd,omitzero"`
	Cursor   string               `json:"cursor,omitzero"`
	Archived SessionArchiveFilter `json:"archived,omitzero"`
	Meta     json.RawMessage      `json:"_meta,omitzero"`
}

// ListSessionsResponse is what session/list gives back.
type ListSessionsResponse struct {
	Sessions   List[SessionInfo] `json:"sessions"`
	NextCursor string            `json:"nextCursor,omitzero"`
	Meta       json.RawMessage   `json:"_meta,omitzero"`
}

// LoadSessionRequest is what session/load takes.
type LoadSessionRequest struct {
	MCPServers            List[MCPServer] `json:"mcpServers"`
	Cwd                   string          `json:"cwd"`
	AdditionalDirectories []string        `json:"additionalDirectories,omitzero"`
	SessionID             string          `json:"sessionId"`
	SystemPrompt          *SystemPrompt   `json:"systemPrompt,omitzero"`
	Meta                  json.RawMessage `json:"_meta,omitzero"`
}

// LoadSessionResponse is what session/load gives back.
type LoadSessionResponse struct {
	Modes         *SessionModeState     `json:"modes,omitzero"`
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero"`
	Meta          json.RawMessage       `json:"_meta,omitzero"`
}

// MCPCapabilities is part of AgentCapabilities.
type MCPCapabilities struct {
	HTTP bool            `json:"http,omitzero"`
	SSE  bool            `json:"sse,omitzero"`
	ACP  bool            `json:"acp,omitzero"`
	Meta json.RawMessage `json:"_meta,omitzero"`
}

// MCPServer is part of ForkSessionRequest, LoadSessionRequest, NewSessionRequest and others. One of its forms is set; type says which.
type MCPServer struct {
	HTTP  *MCPServerHTTP  `json:"-"`
	SSE   *MCPServerSSE   `json:"-"`
	ACP   *MCPServerACP   `json:"-"`
	Stdio *MCPServerStdio `json:"-"`

	Unknown string          `json:"-"` // the word of a form that is not known
	Other   json.RawMessage `json:"-"` // what came instead of a known form
}

func (u *MCPServer) forms() []form {
	return []form{
		{"http", false, "", &u.HTTP},
		{"sse", false, "", &u.SSE},
		{"acp", false, "", &u.ACP},
		{"stdio", true, "", &u.Stdio},
	}
}

// MarshalJSON writes the form that is set.
func (u MCPServer) MarshalJSON() ([]byte, error) {
	type members MCPServer
	return encodeUnion("type", members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *MCPServer) UnmarshalJSON(text []byte) (err error) {
	type members MCPServer
	*u = MCPServer{}
	if err = json.Unmarshal(text, (*members)(u)); err == nil {
		u.Unknown, u.Other, err = decodeUnion(text, "type", u.forms())
	}
	return err
}

// MCPServerACP is part of MCPServer.
type MCPServerACP struct {
	Name     string          `json:"name"`
	ServerID string          `json:"serverId"`
	Meta     json.RawMessage `json:"_meta,omitzero"`
}

// MCPServerHTTP is part of MCPServer.
type MCPServerHTTP struct {
	Name    string           `json:"name"`
	URL     string           `json:"url"`
	Headers List[HTTPHeader] `json:"headers"`
	Meta    json.RawMessage  `json:"_meta,omitzero"`
}

// MCPServerSSE is part of MCPServer.
type MCPServerSSE struct {
	Name    string           `json:"name"`
	URL     string           `json:"url"`
	Headers List[HTTPHeader] `json:"headers"`
	Meta    json.RawMessage  `json:"_meta,omitzero"`
}

// MCPServerStdio is part of MCPServer.
type MCPServerStdio struct {
	Name    string            `json:"name"`
	Command string            `json:"command"`
	Args    List[string]      `json:"args"`
	Env     List[EnvVariable] `json:"env"`
	Meta    json.RawMessage   `json:"_meta,omitzero"`
}

// MultiSelectItems is part of MultiSelectPropertySchema. One of its forms is set; type says which.
type MultiSelectItems struct {
	String *StringMultiSelectItems `json:"-"`
	Titled *TitledMultiSelectItems `json:"-"`

	Unknown string          `json:"-"` // the word of a form that is not known
	Other   json.RawMessage `json:"-"` // what came instead of a known form
}

func (u *MultiSelectItems) forms() []form {
	return []form{
		{"string", false, "", &u.String},
		{"titled", true, "", &u.Titled},
	}
}

// MarshalJSON writes the form that is set.
func (u MultiSelectItems) MarshalJSON() ([]byte, error) {
	type members MultiSelectItems
	return encodeUnion("type", members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *MultiSelectItems) UnmarshalJSON(text []byte) (err error) {
	type members MultiSelectItems
	*u = MultiSelectItems{}
	if err = json.Unmarshal(text, (*members)(u)); err == nil {
		u.Unknown, u.Other, err = decodeUnion(text, "type", u.forms())
	}
	return err
}

// MultiSelectPropertySchema is part of ElicitationPropertySchema.
type MultiSelectPropertySchema struct {
	Title       string           `json:"title,omitzero"`
	Description string           `json:"description,omitzero"`
	MinItems    *int             `json:"minItems,omitzero"`
	MaxItems    *int             `json:"maxItems,omitzero"`
	Items       MultiSelectItems `json:"items"`
	Default     []string         `json:"default,omitzero"`
	Meta        json.RawMessage  `json:"_meta,omitzero"`
}

// NewSessionRequest is what session/new takes.
type NewSessionRequest struct {
	Cwd                   string          `json:"cwd"`
	AdditionalDirectories []string        `json:"additionalDirectories,omitzero"`
	MCPServers            List[MCPServer] `json:"mcpServers"`
	SystemPrompt          *SystemPrompt   `json:"systemPrompt,omitzero"`
	Meta                  json.RawMessage `json:"_meta,omitzero"`
}

// NewSessionResponse is what session/new gives back.
type NewSessionResponse struct {
	SessionID     string                `json:"sessionId"`
	Modes         *SessionModeState     `json:"modes,omitzero"`
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero"`
	Meta          json.RawMessage       `json:"_meta,omitzero"`
}

// Notice is part of SessionUpdate.
type Notice struct {
	Severity    NoticeSeverity  `json:"severity"`
	Title       string          `json:"title"`
	Description string          `json:"description,omitzero"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// NoticeSeverity is one of these words, or another one. It is part of Notice.
type NoticeSeverity string

// The words of NoticeSeverity.
const (
	NoticeSeverityInfo    NoticeSeverity = "info"
	NoticeSeverityWarning NoticeSeverity = "warning"
	NoticeSeverityError   NoticeSeverity = "error"
)

// NumberPropertySchema is part of ElicitationPropertySchema.
type NumberPropertySchema struct {
	Title       string          `json:"title,omitzero"`
	Description string          `json:"description,omitzero"`
	Minimum     *float64        `json:"minimum,omitzero"`
	Maximum     *float64        `json:"maximum,omitzero"`
	Default     *float64        `json:"default,omitzero"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// PermissionOption is part of RequestPermissionRequest.
type PermissionOption struct {
	OptionID string               `json:"optionId"`
	Name     string               `json:"name"`
	Kind     PermissionOptionKind `json:"kind"`
	Meta     json.RawMessage      `json:"_meta,omitzero"`
}

// PermissionOptionKind is one of these words. It is part of PermissionOption.
type PermissionOptionKind string

// The words of PermissionOptionKind.
const (
	PermissionOptionKindAllowOnce    PermissionOptionKind = "allow_once"
	PermissionOptionKindAllowAlways  PermissionOptionKind = "allow_always"
	PermissionOptionKindRejectOnce   PermissionOptionKind = "reject_once"
	PermissionOptionKindRejectAlways PermissionOptionKind = "reject_always"
)

// Plan is part of SessionUpdate.
type Plan struct {
	Entries List[PlanEntry] `json:"entries"`
	Meta    json.RawMessage `json:"_meta,omitzero"`
}

// PlanEntry is part of Plan.
type PlanEntry struct {
	Content  string            `json:"content"`
	Priority PlanEntryPriority `json:"priority"`
	Status   PlanEntryStatus   `json:"status"`
	Meta     json.RawMessage   `json:"_meta,omitzero"`
}

// PlanEntryPriority is one of these words. It is part of PlanEntry.
type PlanEntryPriority string

// The words of PlanEntryPriority.
const (
	PlanEntryPriorityHigh   PlanEntryPriority = "high"
	PlanEntryPriorityMedium PlanEntryPriority = "medium"
	PlanEntryPriorityLow    PlanEntryPriority = "low"
)

// PlanEntryStatus is one of these words. It is part of PlanEntry.
type PlanEntryStatus string

// The words of PlanEntryStatus.
const (
	PlanEntryStatusPending    PlanEntryStatus = "pending"
	PlanEntryStatusInProgress PlanEntryStatus = "in_progress"
	PlanEntryStatusCompleted  PlanEntryStatus = "completed"
)

// PromptCapabilities is part of AgentCapabilities.
type PromptCapabilities struct {
	Image           bool            `json:"image,omitzero"`
	Audio           bool            `json:"audio,omitzero"`
	EmbeddedContext bool            `json:"embeddedContext,omitzero"`
	Meta            json.RawMessage `json:"_meta,omitzero"`
}

// PromptRequest is what session/prompt takes.
type PromptRequest struct {
	SessionID string             `json:"sessionId"`
	Prompt    List[ContentBlock] `json:"prompt"`
	Meta      json.RawMessage    `json:"_meta,omitzero"`
}

// PromptResponse is what session/prompt gives back.
type PromptResponse struct {
	StopReason StopReason      `json:"stopReason"`
	Usage      *Usage          `json:"usage,omitzero"`
	Meta       json.RawMessage `json:"_meta,omitzero"`
}

// ReadTextFileRequest is what fs/read_text_file takes.
type ReadTextFileRequest struct {
	SessionID string          `json:"sessionId"`
	Path      string          `json:"path"`
	Line      *int            `json:"line,omitzero"`
	Limit     *int            `json:"limit,omitzero"`
	Meta      json.RawMessage `json:"_meta,omitzero"`
}

// ReadTextFileResponse is what fs/read_text_file gives back.
type ReadTextFileResponse struct {
	Content string          `json:"content"`
	Meta    json.RawMessage `json:"_meta,omitzero"`
}

// RequestPermissionOutcome is part of RequestPermissionResponse. One of its forms is set; outcome says which.
type RequestPermissionOutcome struct {
	Cancelled *struct{}                  `json:"-"`
	Selected  *SelectedPermissionOutcome `json:"-"`

	Unknown string          `json:"-"` // the word of a form that is not known
	Other   json.RawMessage `json:"-"` // what came instead of a known form
}

func (u *RequestPermissionOutcome) forms() []form {
	return []form{
		{"cancelled", false, "", &u.Cancelled},
		{"selected", false, "", &u.Selected},
	}
}

// MarshalJSON writes the form that is set.
func (u RequestPermissionOutcome) MarshalJSON() ([]byte, error) {
	type members RequestPermissionOutcome
	return encodeUnion("outcome", members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *RequestPermissionOutcome) UnmarshalJSON(text []byte) (err error) {
	type members RequestPermissionOutcome
	*u = RequestPermissionOutcome{}
	if err = json.Unmarshal(text, (*members)(u)); err == nil {
		u.Unknown, u.Other, err = decodeUnion(text, "outcome", u.forms())
	}
	return err
}

// RequestPermissionRequest is what session/request_permission takes.
type RequestPermissionRequest struct {
	SessionID string                 `json:"sessionId"`
	ToolCall  ToolCallUpdate         `json:"toolCall"`
	Options   List[PermissionOption] `json:"options"`
	Meta      json.RawMessage        `json:"_meta,omitzero"`
}

// RequestPermissionResponse is what session/request_permission gives back.
type RequestPermissionResponse struct {
	Outcome RequestPermissionOutcome `json:"outcome"`
	Meta    json.RawMessage          `json:"_meta,omitzero"`
}

// ResourceLink is part of ContentBlock.
type ResourceLink struct {
	Annotations *Annotations    `json:"annotations,omitzero"`
	Description string          `json:"description,omitzero"`
	MIMEType    string          `json:"mimeType,omitzero"`
	Name        string          `json:"name"`
	Size        *int            `json:"size,omitzero"`
	Title       string          `json:"title,omitzero"`
	URI         string          `json:"uri"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// ResumeSessionRequest is what session/resume takes.
type ResumeSessionRequest struct {
	SessionID             string          `json:"sessionId"`
	Cwd                   string          `json:"cwd"`
	AdditionalDirectories []string        `json:"additionalDirectories,omitzero"`
	MCPServers            []MCPServer     `json:"mcpServers,omitzero"`
	SystemPrompt          *SystemPrompt   `json:"systemPrompt,omitzero"`
	Meta                  json.RawMessage `json:"_meta,omitzero"`
}

// ResumeSessionResponse is what session/resume gives back.
type ResumeSessionResponse struct {
	Modes         *SessionModeState     `json:"modes,omitzero"`
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero"`
	Meta          json.RawMessage       `json:"_meta,omitzero"`
}

// Role is one of these words. It is part of Annotations.
type Role string

// The words of Role.
const (
	RoleAssistant Role = "assistant"
	RoleUser      Role = "user"
)

// SelectedPermissionOutcome is part of RequestPermissionOutcome.
type SelectedPermissionOutcome struct {
	OptionID string          `json:"optionId"`
	Meta     json.RawMessage `json:"_meta,omitzero"`
}

// SessionArchiveFilter is one of these words, or another one. It is part of ListSessionsRequest.
type SessionArchiveFilter string

// The words of SessionArchiveFilter.
const (
	SessionArchiveFilterExclude SessionArchiveFilter = "exclude"
	SessionArchiveFilterInclude SessionArchiveFilter = "include"
	SessionArchiveFilterOnly    SessionArchiveFilter = "only"
)

// SessionCapabilities is part of AgentCapabilities.
type SessionCapabilities struct {
	List                  *Empty                           `json:"list,omitzero"`
	Delete                *Empty                           `json:"delete,omitzero"`
	AdditionalDirectories *Empty                           `json:"additionalDirectories,omitzero"`
	SystemPrompt          *SessionSystemPromptCapabilities `json:"systemPrompt,omitzero"`
	Fork                  *Empty                           `json:"fork,omitzero"`
	Archive               *Empty                           `json:"archive,omitzero"`
	Status                *Empty                           `json:"status,omitzero"`
	Title                 *Empty                           `json:"title,omitzero"`
	Resume                *Empty                           `json:"resume,omitzero"`
	Close                 *Empty                           `json:"close,omitzero"`
	Meta                  json.RawMessage                  `json:"_meta,omitzero"`
}

// SessionConfigBoolean is part of SessionConfigOption.
type SessionConfigBoolean struct {
	CurrentValue bool `json:"currentValue"`
}

// SessionConfigOption is part of ConfigOptionUpdate, ForkSessionResponse, LoadSessionResponse and others. One of its forms is set; type says which.
type SessionConfigOption struct {
	ID          string                      `json:"id"`
	Name        string                      `json:"name"`
	Description string                      `json:"description,omitzero"`
	Category    SessionConfigOptionCategory `json:"category,omitzero"`
	Meta        json.RawMessage             `json:"_meta,omitzero"`

	Select  *SessionConfigSelect  `json:"-"`
	Boolean *SessionConfigBoolean `json:"-"`

	Unknown string          `json:"-"` // the word of a form that is not known
	Other   json.RawMessage `json:"-"` // what came instead of a known form
}

func (u *SessionConfigOption) forms() []form {
	return []form{
		{"select", false, "", &u.Select},
		{"boolean", false, "", &u.Boolean},
	}
}

// MarshalJSON writes the form that is set.
func (u SessionConfigOption) MarshalJSON() ([]byte, error) {
	type members SessionConfigOption
	return encodeUnion("type", members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *SessionConfigOption) UnmarshalJSON(text []byte) (err error) {
	type members SessionConfigOption
	*u = SessionConfigOption{}
	if err = json.Unmarshal(text, (*members)(u)); err == nil {
		u.Unknown, u.Other, err = decodeUnion(text, "type", u.forms())
	}
	return err
}

// SessionConfigOptionCategory is one of these words, or another one. It is part of SessionConfigOption.
type SessionConfigOptionCategory string

// The words of SessionConfigOptionCategory.
const (
	SessionConfigOptionCategoryMode         SessionConfigOptionCategory = "mode"
	SessionConfigOptionCategoryModel        SessionConfigOptionCategory = "model"
	SessionConfigOptionCategoryModelConfig  SessionConfigOptionCategory = "model_config"
	SessionConfigOptionCategoryThoughtLevel SessionConfigOptionCategory = "thought_level"
)

// SessionConfigOptionsCapabilities is part of ClientSessionCapabilities.
type SessionConfigOptionsCapabilities struct {
	Boolean *Empty          `json:"boolean,omitzero"`
	Meta    json.RawMessage `json:"_meta,omitzero"`
}

// SessionConfigSelect is part of SessionConfigOption.
type SessionConfigSelect struct {
	CurrentValue string                     `json:"currentValue"`
	Options      SessionConfigSelectOptions `json:"options"`
}

// SessionConfigSelectGroup is part of SessionConfigSelectOptions.
type SessionConfigSelectGroup struct {
	Group   string                          `json:"group"`
	Name    string                          `json:"name"`
	Options List[SessionConfigSelectOption] `json:"options"`
	Meta    json.RawMessage                 `json:"_meta,omitzero"`
}

// SessionConfigSelectOption is part of SessionConfigSelectGroup and SessionConfigSelectOptions.
type SessionConfigSelectOption struct {
	Value       string          `json:"value"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitzero"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// SessionInfo is part of ListSessionsResponse.
type SessionInfo struct {
	SessionID             string          `json:"sessionId"`
	Cwd                   string          `json:"cwd"`
	AdditionalDirectories []string        `json:"additionalDirectories,omitzero"`
	Title                 string          `json:"title,omitzero"`
	UpdatedAt             string          `json:"updatedAt,omitzero"`
	Archived              *bool           `json:"archived,omitzero"`
	Meta                  json.RawMessage `json:"_meta,omitzero"`
}

// SessionInfoUpdate is part of SessionUpdate.
type SessionInfoUpdate struct {
	Title     *string         `json:"title,omitzero"`
	UpdatedAt *string         `json:"updatedAt,omitzero"`
	Meta      json.RawMessage `json:"_meta,omitzero"`
}

// SessionMode is part of SessionModeState.
type SessionMode struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitzero"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// SessionModeState is part of ForkSessionResponse, LoadSessionResponse, NewSessionResponse and others.
type SessionModeState struct {
	CurrentModeID  string            `json:"currentModeId"`
	AvailableModes List[SessionMode] `json:"availableModes"`
	Meta           json.RawMessage   `json:"_meta,omitzero"`
}

// SessionNotification is what session/update says.
type SessionNotification struct {
	SessionID string          `json:"sessionId"`
	Update    SessionUpdate   `json:"update"`
	Meta      json.RawMessage `json:"_meta,omitzero"`
}

// SessionSystemPromptCapabilities is part of SessionCapabilities.
type SessionSystemPromptCapabilities struct {
	Mode *SessionSystemPromptModeCapabilities `json:"mode,omitzero"`
	Meta json.RawMessage                      `json:"_meta,omitzero"`
}

// SessionSystemPromptModeCapabilities is part of SessionSystemPromptCapabilities.
type SessionSystemPromptModeCapabilities struct {
	Override *Empty          `json:"override,omitzero"`
	Meta     json.RawMessage `json:"_meta,omitzero"`
}

// SessionUpdate is part of SessionNotification. One of its forms is set; sessionUpdate says which.
type SessionUpdate struct {
	UserMessageChunk        *ContentChunk            `json:"-"`
	AgentMessageChunk       *ContentChunk            `json:"-"`
	AgentThoughtChunk       *ContentChunk            `json:"-"`
	ToolCall                *ToolCall                `json:"-"`
	ToolCallUpdate          *ToolCallUpdate          `json:"-"`
	Plan                    *Plan                    `json:"-"`
	AvailableCommandsUpdate *AvailableCommandsUpdate `json:"-"`
	CurrentModeUpdate       *CurrentModeUpdate       `json:"-"`
	ConfigOptionUpdate      *ConfigOptionUpdate      `json:"-"`
	SessionInfoUpdate       *SessionInfoUpdate       `json:"-"`
	UsageUpdate             *UsageUpdate             `json:"-"`
	Notice                  *Notice                  `json:"-"`
	CompactionUpdate        *CompactionUpdate        `json:"-"`
	CompactionSummaryChunk  *CompactionSummaryChunk  `json:"-"`

	Unknown string          `json:"-"` // the word of a form that is not known
	Other   json.RawMessage `json:"-"` // what came instead of a known form
}

func (u *SessionUpdate) forms() []form {
	return []form{
		{"user_message_chunk", false, "", &u.UserMessageChunk},
		{"agent_message_chunk", false, "", &u.AgentMessageChunk},
		{"agent_thought_chunk", false, "", &u.AgentThoughtChunk},
		{"tool_call", false, "", &u.ToolCall},
		{"tool_call_update", false, "", &u.ToolCallUpdate},
		{"plan", false, "", &u.Plan},
		{"available_commands_update", false, "", &u.AvailableCommandsUpdate},
		{"current_mode_update", false, "", &u.CurrentModeUpdate},
		{"config_option_update", false, "", &u.ConfigOptionUpdate},
		{"session_info_update", false, "", &u.SessionInfoUpdate},
		{"usage_update", false, "", &u.UsageUpdate},
		{"notice", false, "", &u.Notice},
		{"compaction_update", false, "", &u.CompactionUpdate},
		{"compaction_summary_chunk", false, "", &u.CompactionSummaryChunk},
	}
}

// MarshalJSON writes the form that is set.
func (u SessionUpdate) MarshalJSON() ([]byte, error) {
	type members SessionUpdate
	return encodeUnion("sessionUpdate", members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *SessionUpdate) UnmarshalJSON(text []byte) (err error) {
	type members SessionUpdate
	*u = SessionUpdate{}
	if err = json.Unmarshal(text, (*members)(u)); err == nil {
		u.Unknown, u.Other, err = decodeUnion(text, "sessionUpdate", u.forms())
	}
	return err
}

// SetSessionConfigOptionRequest is what session/set_config_option takes. One of its forms is set; type says which.
type SetSessionConfigOptionRequest struct {
	SessionID string          `json:"sessionId"`
	ConfigID  string          `json:"configId"`
	Meta      json.RawMessage `json:"_meta,omitzero"`

	Boolean *SetSessionConfigOptionRequestBoolean `json:"-"`
	Select  *SetSessionConfigOptionRequestSelect  `json:"-"`

	Unknown string          `json:"-"` // the word of a form that is not known
	Other   json.RawMessage `json:"-"` // what came instead of a known form
}

func (u *SetSessionConfigOptionRequest) forms() []form {
	return []form{
		{"boolean", false, "", &u.Boolean},
		{"select", true, "", &u.Select},
	}
}

// MarshalJSON writes the form that is set.
func (u SetSessionConfigOptionRequest) MarshalJSON() ([]byte, error) {
	type members SetSessionConfigOptionRequest
	return encodeUnion("type", members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *SetSessionConfigOptionRequest) UnmarshalJSON(text []byte) (err error) {
	type members SetSessionConfigOptionRequest
	*u = SetSessionConfigOptionRequest{}
	if err = json.Unmarshal(text, (*members)(u)); err == nil {
		u.Unknown, u.Other, err = decodeUnion(text, "type", u.forms())
	}
	return err
}

// SetSessionConfigOptionRequestBoolean is part of SetSessionConfigOptionRequest.
type SetSessionConfigOptionRequestBoolean struct {
	Value bool `json:"value"`
}

// SetSessionConfigOptionRequestSelect is part of SetSessionConfigOptionRequest.
type SetSessionConfigOptionRequestSelect struct {
	Value string `json:"value"`
}

// SetSessionConfigOptionResponse is what session/set_config_option gives back.
type SetSessionConfigOptionResponse struct {
	ConfigOptions List[SessionConfigOption] `json:"configOptions"`
	Meta          json.RawMessage           `json:"_meta,omitzero"`
}

// SetSessionModeRequest is what session/set_mode takes.
type SetSessionModeRequest struct {
	SessionID string          `json:"sessionId"`
	ModeID    string          `json:"modeId"`
	Meta      json.RawMessage `json:"_meta,omitzero"`
}

// SetSessionModeResponse is what session/set_mode gives back.
type SetSessionModeResponse struct {
	Meta json.RawMessage `json:"_meta,omitzero"`
}

// SetSessionTitleRequest is what session/set_title takes.
type SetSessionTitleRequest struct {
	SessionID string          `json:"sessionId"`
	Title     string          `json:"title"`
	Meta      json.RawMessage `json:"_meta,omitzero"`
}

// SetSessionTitleResponse is what session/set_title gives back.
type SetSessionTitleResponse struct {
	Title string          `json:"title"`
	Meta  json.RawMessage `json:"_meta,omitzero"`
}

// StopReason is one of these words. It is part of PromptResponse.
type StopReason string

// The words of StopReason.
const (
	StopReasonEndTurn         StopReason = "end_turn"
	StopReasonMaxTokens       StopReason = "max_tokens"
	StopReasonMaxTurnRequests StopReason = "max_turn_requests"
	StopReasonRefusal         StopReason = "refusal"
	StopReasonCancelled       StopReason = "cancelled"
)

// StringFormat is one of these words. It is part of StringPropertySchema.
type StringFormat string

// The words of StringFormat.
const (
	StringFormatEmail    StringFormat = "email"
	StringFormatURI      StringFormat = "uri"
	StringFormatDate     StringFormat = "date"
	StringFormatDateTime StringFormat = "date-time"
)

// StringMultiSelectItems is part of MultiSelectItems.
type StringMultiSelectItems struct {
	Enum List[string]    `json:"enum"`
	Meta json.RawMessage `json:"_meta,omitzero"`
}

// StringPropertySchema is part of ElicitationPropertySchema.
type StringPropertySchema struct {
	Title       string          `json:"title,omitzero"`
	Description string          `json:"description,omitzero"`
	MinLength   *int            `json:"minLength,omitzero"`
	MaxLength   *int            `json:"maxLength,omitzero"`
	Pattern     string          `json:"pattern,omitzero"`
	Format      StringFormat    `json:"format,omitzero"`
	Default     *string         `json:"default,omitzero"`
	Enum        []string        `json:"enum,omitzero"`
	OneOf       []EnumOption    `json:"oneOf,omitzero"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// SystemPrompt is part of ForkSessionRequest, LoadSessionRequest, NewSessionRequest and others.
type SystemPrompt struct {
	Mode    SystemPromptMode   `json:"mode"`
	Content List[ContentBlock] `json:"content"`
	Meta    json.RawMessage    `json:"_meta,omitzero"`
}

// SystemPromptMode is one of these words, or another one. It is part of SystemPrompt.
type SystemPromptMode string

// The words of SystemPromptMode.
const (
	SystemPromptModeAppend   SystemPromptMode = "append"
	SystemPromptModeOverride SystemPromptMode = "override"
)

// Terminal is part of ToolCallContent.
type Terminal struct {
	TerminalID string          `json:"terminalId"`
	Meta       json.RawMessage `json:"_meta,omitzero"`
}

// TextContent is part of ContentBlock.
type TextContent struct {
	Annotations *Annotations    `json:"annotations,omitzero"`
	Text        string          `json:"text"`
	Meta        json.RawMessage `json:"_meta,omitzero"`
}

// TextResourceContents is part of EmbeddedResourceResource.
type TextResourceContents struct {
	MIMEType string          `json:"mimeType,omitzero"`
	Text     string          `json:"text"`
	URI      string          `json:"uri"`
	Meta     json.RawMessage `json:"_meta,omitzero"`
}

// TitledMultiSelectItems is part of MultiSelectItems.
type TitledMultiSelectItems struct {
	AnyOf List[EnumOption] `json:"anyOf"`
	Meta  json.RawMessage  `json:"_meta,omitzero"`
}

// ToolCall is part of SessionUpdate.
type ToolCall struct {
	ToolCallID string             `json:"toolCallId"`
	Title      string             `json:"title"`
	Name       string             `json:"name,omitzero"`
	Kind       ToolKind           `json:"kind,omitzero"`
	Status     ToolCallStatus     `json:"status,omitzero"`
	Content    []ToolCallContent  `json:"content,omitzero"`
	Locations  []ToolCallLocation `json:"locations,omitzero"`
	RawInput   json.RawMessage    `json:"rawInput,omitzero"`
	RawOutput  json.RawMessage    `json:"rawOutput,omitzero"`
	Meta       json.RawMessage    `json:"_meta,omitzero"`
}

// ToolCallContent is part of ToolCall and ToolCallUpdate. One of its forms is set; type says which.
type ToolCallContent struct {
	Content  *Content  `json:"-"`
	Diff     *Diff     `json:"-"`
	Terminal *Terminal `json:"-"`

	Unknown string          `json:"-"` // the word of a form that is not known
	Other   json.RawMessage `json:"-"` // what came instead of a known form
}

func (u *ToolCallContent) forms() []form {
	return []form{
		{"content", false, "", &u.Content},
		{"diff", false, "", &u.Diff},
		{"terminal", false, "", &u.Terminal},
	}
}

// MarshalJSON writes the form that is set.
func (u ToolCallContent) MarshalJSON() ([]byte, error) {
	type members ToolCallContent
	return encodeUnion("type", members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *ToolCallContent) UnmarshalJSON(text []byte) (err error) {
	type members ToolCallContent
	*u = ToolCallContent{}
	if err = json.Unmarshal(text, (*members)(u)); err == nil {
		u.Unknown, u.Other, err = decodeUnion(text, "type", u.forms())
	}
	return err
}

// ToolCallLocation is part of ToolCall and ToolCallUpdate.
type ToolCallLocation struct {
	Path string          `json:"path"`
	Line *int            `json:"line,omitzero"`
	Meta json.RawMessage `json:"_meta,omitzero"`
}

// ToolCallStatus is one of these words. It is part of ToolCall and ToolCallUpdate.
type ToolCallStatus string

// The words of ToolCallStatus.
const (
	ToolCallStatusPending    ToolCallStatus = "pending"
	ToolCallStatusInProgress ToolCallStatus = "in_progress"
	ToolCallStatusCompleted  ToolCallStatus = "completed"
	ToolCallStatusFailed     ToolCallStatus = "failed"
)

// ToolCallUpdate is part of RequestPermissionRequest and SessionUpdate.
type ToolCallUpdate struct {
	ToolCallID string             `json:"toolCallId"`
	Kind       ToolKind           `json:"kind,omitzero"`
	Status     ToolCallStatus     `json:"status,omitzero"`
	Title      string             `json:"title,omitzero"`
	Name       string             `json:"name,omitzero"`
	Content    []ToolCallContent  `json:"content,omitzero"`
	Locations  []ToolCallLocation `json:"locations,omitzero"`
	RawInput   json.RawMessage    `json:"rawInput,omitzero"`
	RawOutput  json.RawMessage    `json:"rawOutput,omitzero"`
	Meta       json.RawMessage    `json:"_meta,omitzero"`
}

// ToolKind is one of these words. It is part of ToolCall and ToolCallUpdate.
type ToolKind string

// The words of ToolKind.
const (
	ToolKindRead       ToolKind = "read"
	ToolKindEdit       ToolKind = "edit"
	ToolKindDelete     ToolKind = "delete"
	ToolKindMove       ToolKind = "move"
	ToolKindSearch     ToolKind = "search"
	ToolKindExecute    ToolKind = "execute"
	ToolKindThink      ToolKind = "think"
	ToolKindFetch      ToolKind = "fetch"
	ToolKindSwitchMode ToolKind = "switch_mode"
	ToolKindOther      ToolKind = "other"
)

// UnstructuredCommandInput is part of AvailableCommand.
type UnstructuredCommandInput struct {
	Hint string          `json:"hint"`
	Meta json.RawMessage `json:"_meta,omitzero"`
}

// Usage is part of PromptResponse.
type Usage struct {
	TotalTokens       int             `json:"totalTokens"`
	InputTokens       int             `json:"inputTokens"`
	OutputTokens      int             `json:"outputTokens"`
	ThoughtTokens     *int            `json:"thoughtTokens,omitzero"`
	CachedReadTokens  *int            `json:"cachedReadTokens,omitzero"`
	CachedWriteTokens *int            `json:"cachedWriteTokens,omitzero"`
	Meta              json.RawMessage `json:"_meta,omitzero"`
}

// UsageUpdate is part of SessionUpdate.
type UsageUpdate struct {
	Used int             `json:"used"`
	Size int             `json:"size"`
	Cost *Cost           `json:"cost,omitzero"`
	Meta json.RawMessage `json:"_meta,omitzero"`
}

// WriteTextFileRequest is what fs/write_text_file takes.
type WriteTextFileRequest struct {
	SessionID string          `json:"sessionId"`
	Path      string          `json:"path"`
	Content   string          `json:"content"`
	Meta      json.RawMessage `json:"_meta,omitzero"`
}

// WriteTextFileResponse is what fs/write_text_file gives back.
type WriteTextFileResponse struct {
	Meta json.RawMessage `json:"_meta,omitzero"`
}
