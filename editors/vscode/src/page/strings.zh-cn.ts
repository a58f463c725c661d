// The words of the page in Simplified Chinese. The compiler holds that none is missing.
import type { Key } from './strings';

export const chinese: Record<Key, string> = {
  newSession: '新建会话', sessions: '会话', more: '更多操作', back: '返回聊天', compact: '压缩对话', exportSession: '导出', renameSession: '重命名', deleteSession: '删除', forkSession: '分叉',
  untitled: '新会话', fullAccess: '完全访问', fullAccessHint: '此会话中不再询问。选择“代理”可恢复询问。',
  searchSessions: '搜索会话', loadMore: '加载更多', noSessions: '还没有会话。', noneFound: '没有找到。', state_running: '运行中', state_waiting_approval: '等待您的答复', state_interrupted: '已中断', state_closed: '已关闭', sessionActions: '{0} 的操作',
  emptyTitle: '要做什么？', emptyText: '询问此工作区的内容，或让代理修改。执行命令和编辑之前会先询问您。', emptyMention: '输入 @ 可引用文件。可粘贴或拖入图片。',
  sidecarStarting: 'sidecar 正在启动…', sidecarRestarting: 'sidecar 已退出，正在重新启动…', sidecarStopped: 'sidecar 未运行。', setPath: '设置路径', showLog: '显示日志', restart: '重新启动',
  noModel: '尚未设置模型。', setKey: '设置 API 密钥', openSettings: '设置', untrusted: '此文件夹不受信任。代理要修改或执行的一切都会先询问。', manageTrust: '管理信任',
  prompt: '提示', longText: '长文本，{0} KiB', promptPlaceholder: '提问，或说明要修改什么。@ 引用文件', promptQueue: '加入等待队列（Ctrl+Enter：立即交给当前运行）', send: '发送', sendQueue: '加入队列', stop: '停止', attach: '添加图片', removeImage: '移除图片 {0}', removeContext: '不发送 {0}', image: '图片 {0}', files: '文件', noFiles: '没有此文件', context: '随提示发送：{0}', contextOff: '不随提示发送：{0}',
  mode: '模式', mode_agent: '代理', mode_full_access: '代理 – 完全访问', modeAgentHint: '规则未允许的修改和执行会先询问', modeFullHint: '一切直接执行，不询问', agent: '代理', model: '模型', modelDefault: '默认模型', otherModel: '更多模型…',
  editing: '正在编辑之前的提示。发送后将在该处的分叉中继续。', cancelEdit: '保持原样', tooManyImages: '一个提示最多附带 {0} 张图片。', imageTooLarge: '图片最大 {0} MiB。', notAnImage: '只能添加 PNG、JPEG、GIF 和 WebP 图片。',
  queued: '等待中的提示', editQueued: '编辑', removeQueued: '移除', steerQueued: '立即交给当前运行', saveQueued: '保存',
  thinking: '思考中…', running: '运行中：{0}', writing: '书写中：{0}', waiting: '等待您的答复', retrying: '{0} 秒后重试（第 {1} 次）', retryingNow: '正在重试（第 {0} 次）', compacting: '正在压缩对话…', working: '工作中…', failed: '失败：{0}', contextUsed: '上下文：{0} / {1} 个令牌（{2} %）', contextUsedOnly: '上下文：{0} 个令牌',
  conversation: '对话', you: '您', assistant: '代理', thought: '思考', thinkingNow: '思考中…', steering: '已交给当前运行', sidecarNote: 'sidecar 的说明', editPrompt: '编辑并重新发送', copy: '复制', insert: '插入到光标处', code: '代码', table: '表格', gap: '传输途中省略了部分文本。', wholeAnswer: '打开完整回答', newMessages: '到最新', earlier: '正在加载更早的消息…', picture: '图片',
  call: '，{0}', callState_requested: '已计划', callState_waiting: '等待您的答复', callState_running: '运行中', callState_completed: '完成', callState_failed: '失败', callState_rejected: '已拒绝', callState_cancelled: '已取消', callState_interrupted: '已中断',
  truncated: '已截断', openOutput: '打开完整输出', exitCode: '退出码 {0}', input: '参数', output: '输出', result: '结果', showAll: '显示全部 {0} 行', showLine: '显示整行', showLess: '收起', outputCut: '更早的输出已省略。', pruned: '模型不再看到', prunedShort: '已清理', feedback: '您说：{0}', allowedOnce: '允许一次', allowedSession: '本会话允许', allowedAlways: '始终允许', diff: '更改', pictures: '{0} 张图片', onePicture: '1 张图片', stopCall: '停止此调用', stopAgent: '停止此代理', calls: '{0} 次调用', oneCall: '1 次调用', citations: '已核对 {0} 处引用，{1} 处有误', oneCitation: '已核对 1 处引用，{0} 处有误', noOutput: '无输出', seconds: '{0} 秒',
  reason_nothing_to_compact: '目前还没有可以压缩的内容', reason_model_auth: '密钥被拒绝', reason_model_rate_limited: '请求过多', reason_model_quota: '配额已用尽', reason_model_overloaded: '负载过高', reason_model_not_found: '该模型不存在', reason_model_server_error: '服务器出错', reason_model_unreachable: '无法连接', reason_content_filter: '内容过滤', reason_rested: '曾经失败，现在重试',
  mark_compacting: '正在压缩对话', mark_compacted: '对话已压缩：{0} → {1} 个令牌', mark_not_compacted: '对话无法压缩：{0}', mark_pruned: '模型不再看到 {0} 个结果（{1} 个令牌）', mark_pruned_one: '模型不再看到 1 个结果（{0} 个令牌）', mark_switched: '模型 {0} → {1}（{2}）', mark_loop: '运行陷入循环：{0}，{1} 次', mark_memory: '已记住：{0}', mark_gap: '部分文本已省略', mark_continued: '继续被中断的工作', mark_mode: '从此处起为完全访问', mark_asking: '从此处起重新询问', mark_unknown: '{0}',
  end_cancelled: '已停止', end_limit: '达到限制', end_max_turns: '达到轮次限制', end_max_tokens: '达到令牌限制', end_doom_loop: '已停止：陷入循环', end_error: '运行失败', end_interrupted: '已中断',
  filesChanged: '{0} 个文件已更改', fileChanged: '1 个文件已更改', openDiff: '打开 {0} 的差异', keep: '保留', undo: '撤销', keepFile: '保留对 {0} 的更改', undoFile: '撤销对 {0} 的更改', keepAll: '全部保留', undoAll: '全部撤销', kept: '已保留', undone: '已撤销', kind_created: '新建', kind_modified: '已修改', kind_deleted: '已删除', kind_moved: '已移动',
  plan: '计划', planDone: '已完成 {0} / {1}', item_pending: '待办', item_in_progress: '进行中', item_completed: '完成', item_cancelled: '已放弃',
  approvals: '等待您答复的问题', once: '一次', session: '本会话', always: '始终', reject: '拒绝', rejectReason: '原因？（可选，代理会读到）', rejectStop: '拒绝并停止', reviewDiff: '查看差异', chooseRule: '要保存的规则', ruleStored: '保存规则：{0}', risk: '风险：{0}', risk_read: '读取', risk_write: '写入', risk_execute: '执行', risk_network: '网络', risk_destructive: '破坏性', risk_loop: '循环', byAgent: '由 {0} 询问', stale: '将要执行的内容已改变。请再看一次。', targets: '涉及', answerElsewhere: '请在持有此会话的窗口中答复。', previewCut: '打开全部内容', lookFirst: '刚才只显示了一部分。请看完其余内容再答复。',
  following: '另一个窗口持有此会话。您可以跟随阅读。', continueFork: '在分叉中继续', takeOver: '接管', stillLocked: '另一个窗口仍持有它。', interrupted: '上次运行被中断。', continueRun: '继续',

};
