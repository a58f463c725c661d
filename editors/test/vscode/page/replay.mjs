// A host without a sidecar: it answers from events that were recorded of a real one.
export function replay(recorded, { events = recorded.events.filter((e) => e.seq !== undefined), approvals = [], queue = [], config = [], perform, delay = 0 } = {}) {
  const subs = recorded.events.filter((e) => e.subSeq !== undefined);
  const tail = events.at(-1)?.seq ?? 0;
  const session = { ...recorded.session, id: events[0]?.sessionId ?? '0001' };
  return {
    capabilities: recorded.capabilities,
    perform: perform ?? (() => undefined),
    async request(method, params) {
      if (delay) await new Promise((go) => setTimeout(go, delay));
      switch (method) {
        case 'agent/session/resume': return { session, tailSeq: tail, pendingApprovals: approvals, queue };
        case 'agent/approvals': return { items: config };
        case 'agent/session/list': return { sessions: [session, { ...session, id: '0002', title: 'Another session', state: 'running', updatedAt: '2026-01-02T03:04:05.000Z' }], nextCursor: 'x' };
        case 'agent/events': {
          const all = (params.agentPath ? subs.filter((e) => e.agentPath.join() === params.agentPath.join()).map((e) => ({ e, n: e.subSeq })) : events.map((e) => ({ e, n: e.seq })))
            .filter(({ n }) => n > (params.after ?? 0) && (!params.before || n < params.before));
          const page = [];
          let bytes = 0;
          for (const { e } of all) {
            const size = JSON.stringify(e.data).length + 200;
            if (page.length === (params.limit ?? 500) || (page.length && bytes + size > (params.maxBytes ?? 262144))) break;
            bytes += size;
            page.push(e);
          }
          const last = page.length ? page.at(-1).subSeq ?? page.at(-1).seq : params.after ?? 0;
          return { events: page, nextAfter: last, hasMore: page.length < all.length, tailSeq: tail };
        }
        default: throw Object.assign(new Error(`${method} is not played`), { data: { kind: 'internal' } });
      }
    },
  };
}
