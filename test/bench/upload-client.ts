// A client that uploads a recording that is made while it is sent, so that the benchmark itself holds none of it.
import http from 'node:http';
import { audioStream } from '../support/audio-samples.ts';

const BOUNDARY = 'bench-boundary';

export type Upload = {
  readonly url: string;
  readonly key: string;
  readonly sizeBytes: number;
  /** The part that is first in the form. */
  readonly first: 'fields' | 'file';
};

export type UploadResult = { readonly status: number; readonly sentBytes: number };

/** Resolves with the answer's status, and with the number of bytes of the file that the socket had accepted by then. */
export function upload({ url, key, sizeBytes, first }: Upload): Promise<UploadResult> {
  const { promise, resolve, reject } = Promise.withResolvers<UploadResult>();
  let sentBytes = 0;
  let isAnswered = false;
  const request = http.request(`${url}/transcribe/conversation`, {
    method: 'POST',
    agent: false,
    headers: { 'x-api-key': key, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  });
  request.on('response', (answer) => {
    isAnswered = true;
    const sentByNow = sentBytes - request.writableLength;
    answer.resume().on('end', () => resolve({ status: answer.statusCode ?? 0, sentBytes: sentByNow }));
  });
  request.on('error', (error) => {
    if (!isAnswered) reject(error);
  });
  void (async () => {
    if (first === 'fields') request.write(languageField());
    request.write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="bench.wav"\r\n\r\n`);
    for await (const chunk of audioStream('wav', sizeBytes)) {
      if (isAnswered || request.destroyed) return;
      sentBytes += chunk.length;
      if (!request.write(chunk)) await writable(request);
    }
    request.write('\r\n');
    if (first === 'file') request.write(languageField());
    request.end(`--${BOUNDARY}--\r\n`);
  })().catch(reject);
  return promise;
}

function languageField(): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="language"\r\n\r\nen\r\n`;
}

function writable(request: http.ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      request.off('drain', done).off('close', done);
      resolve();
    };
    request.on('drain', done).on('close', done);
  });
}

/** Sends the same bytes without a form, for the plain pipe. */
export function uploadPlain(url: string, sizeBytes: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = http.request(`${url}/v1/listen`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'audio/wav' },
  });
  request.on('response', (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)));
  request.on('error', reject);
  void (async () => {
    for await (const chunk of audioStream('wav', sizeBytes)) {
      if (!request.write(chunk)) await writable(request);
    }
    request.end();
  })().catch(reject);
  return promise;
}
