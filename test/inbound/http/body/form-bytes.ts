// Multipart bodies for tests, including malformed ones.

export const BOUNDARY = 'chartwright-test-boundary';
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

export type PartBytes = { readonly headers: readonly string[]; readonly body: string | Uint8Array };

export function field(name: string, value: string | Uint8Array): PartBytes {
  return { headers: [`Content-Disposition: form-data; name="${name}"`], body: value };
}

export function file(name: string, fileName: string, body: string | Uint8Array): PartBytes {
  return {
    headers: [
      `Content-Disposition: form-data; name="${name}"; filename="${fileName}"`,
      'Content-Type: application/octet-stream',
    ],
    body,
  };
}

export function part(...headers: readonly string[]): PartBytes {
  return { headers, body: 'text' };
}

/** Strings are encoded as UTF-8. */
export function formBytes(parts: readonly PartBytes[], boundary = BOUNDARY): Buffer {
  return Buffer.concat([...parts.map((each) => openPart(each, boundary)), Buffer.from(`--${boundary}--\r\n`)]);
}

/** One part with its boundary and the line break before the next boundary. */
export function openPart({ headers, body }: PartBytes, boundary = BOUNDARY): Buffer {
  return Buffer.concat([
    Buffer.from(`--${boundary}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ]);
}

export function postHead(path: string, lengthBytes: number, contentType = FORM_TYPE): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${contentType}\r\nContent-Length: ${lengthBytes}\r\n\r\n`;
}
