// Server-Sent Events out of a stream of bytes, as https://html.spec.whatwg.org/multipage/server-sent-events.html has them.

export type ServerEvent = {
  /** Where to go on after a lost connection: the newest id that was sent so far. */
  readonly id?: string;
  readonly event: string;
  readonly data: string;
  /** How long to wait before coming back, as the engine wishes. */
  readonly retryMs?: number;
};

/** What an engine sends is a few hundred characters; who sends more without a line end is none. */
const MAX_LINE_LENGTH = 1_048_576;

/** `heard` is called for whatever comes, comments too. */
export async function* readEvents(bytes: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const block = makeBlock();
  let rest = '';
  for await (const chunk of bytes) {
    heard();
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH) throw new Error('A line of the stream has no end');
    for (const line of lines) {
      const event = block.take(line);
      if (event !== undefined) yield event;
    }
  }
}

function makeBlock() {
  let data: string[] = [];
  let event = '';
  let id: string | undefined;
  let retryMs: number | undefined;

  /** The id stays until there is another one. */
  function finish(): ServerEvent | undefined {
    const isEmpty = data.length === 0;
    const finished = {
      event: event || 'message',
      data: data.join('\n'),
      ...(id !== undefined && { id }),
      ...(retryMs !== undefined && { retryMs }),
    };
    data = [];
    event = '';
    return isEmpty ? undefined : finished;
  }

  return {
    take(line: string): ServerEvent | undefined {
      if (line === '') return finish();
      const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === 'data') data.push(value);
      else if (field === 'event') event = value;
      else if (field === 'id' && !value.includes('\0')) id = value;
      else if (field === 'retry' && /^\d{1,9}$/.test(value)) retryMs = Number(value);
      return undefined;
    },
  };
}
