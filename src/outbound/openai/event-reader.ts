// Reads Server-Sent Events out of bytes as they come, synchronously: all events of one network chunk in one pass. The caller bounds the bytes
// that come without a whole event.

export type ServerEvent = {
  /** Empty if the event has none. */
  readonly name: string;
  /** The lines of its data, joined by line feeds. */
  readonly data: string;
};

export class EventReader {
  // It removes a byte order mark, and holds back the bytes of a character that is cut in two.
  readonly #decoder = new TextDecoder();
  /** The beginning of a line whose end has not come. */
  #begun = '';
  /** The chunk before ended with a carriage return, which may be the first half of a line end. */
  #endedWithReturn = false;
  #name = '';
  #data: string | undefined;

  /** Returns the events that this chunk completes. An event at the end of the body without its empty line is none. */
  read(chunk: Uint8Array): readonly ServerEvent[] {
    const decoded = this.#decoder.decode(chunk, { stream: true });
    if (decoded === '') return [];
    const text = this.#withLineFeeds(decoded);
    const events: ServerEvent[] = [];
    let start = 0;
    // Only the new text is searched, so that a line in many pieces costs no more than in one.
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = this.#begun === '' ? text.slice(start, end) : this.#begun + text.slice(start, end);
      this.#begun = '';
      start = end + 1;
      if (line !== '') this.#readField(line);
      else if (this.#name !== '' || this.#data !== undefined) events.push(this.#endEvent());
    }
    this.#begun += text.slice(start);
    return events;
  }

  /** A line ends with a line feed, a carriage return, or both. */
  #withLineFeeds(text: string): string {
    const isSecondHalf = this.#endedWithReturn && text.startsWith('\n');
    this.#endedWithReturn = text.endsWith('\r');
    const rest = isSecondHalf ? text.slice(1) : text;
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }

  #readField(line: string): void {
    // Nearly every line is one of these.
    if (line.startsWith('data: ') && this.#data === undefined) {
      this.#data = line.slice(6);
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const given = colon < 0 ? '' : line.slice(colon + 1);
    const value = given.startsWith(' ') ? given.slice(1) : given;
    // A comment is a line without the name of a field.
    if (field === 'data') this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    else if (field === 'event') this.#name = value;
  }

  #endEvent(): ServerEvent {
    const event = { name: this.#name, data: this.#data ?? '' };
    this.#name = '';
    this.#data = undefined;
    return event;
  }
}
