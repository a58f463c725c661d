// The services that the sidecar knows, and the variable in which it looks for the key of
// each. A test holds this against the table in docs/models.md.
export interface Provider { name: string; label: string; variables: string[]; local?: string }

export const providers: readonly Provider[] = [
  { name: 'openai', label: 'OpenAI', variables: ['OPENAI_API_KEY'] },
  { name: 'azure', label: 'Azure OpenAI', variables: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'] },
  { name: 'openrouter', label: 'OpenRouter', variables: ['OPENROUTER_API_KEY'] },
  { name: 'anthropic', label: 'Anthropic', variables: ['ANTHROPIC_API_KEY'] },
  { name: 'gemini', label: 'Google Gemini', variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] },
  { name: 'deepseek', label: 'DeepSeek', variables: ['DEEPSEEK_API_KEY'] },
  { name: 'mistral', label: 'Mistral', variables: ['MISTRAL_API_KEY'] },
  { name: 'xai', label: 'xAI', variables: ['XAI_API_KEY'] },
  { name: 'groq', label: 'Groq', variables: ['GROQ_API_KEY'] },
  { name: 'cerebras', label: 'Cerebras', variables: ['CEREBRAS_API_KEY'] },
  { name: 'together', label: 'Together', variables: ['TOGETHER_API_KEY'] },
  { name: 'fireworks', label: 'Fireworks', variables: ['FIREWORKS_API_KEY'] },
  { name: 'moonshot', label: 'Moonshot', variables: ['MOONSHOT_API_KEY'] },
  { name: 'zai', label: 'Z.ai', variables: ['ZAI_API_KEY', 'ZHIPU_API_KEY'] },
  { name: 'dashscope', label: 'DashScope', variables: ['DASHSCOPE_API_KEY'] },
  { name: 'minimax', label: 'MiniMax', variables: ['MINIMAX_API_KEY'] },
  { name: 'huggingface', label: 'Hugging Face', variables: ['HF_TOKEN'] },
  { name: 'ollama', label: 'Ollama', variables: [], local: 'http://127.0.0.1:11434/v1' },
  { name: 'lmstudio', label: 'LM Studio', variables: [], local: 'http://127.0.0.1:1234/v1' },
  { name: 'llamacpp', label: 'llama.cpp', variables: [], local: 'http://127.0.0.1:8080/v1' },
  { name: 'vllm', label: 'vLLM', variables: [], local: 'http://127.0.0.1:8000/v1' },
];
