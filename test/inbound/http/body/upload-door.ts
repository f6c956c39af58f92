// A small engine for tests: the server, the gate, the error answers and the body readers, on a real spool.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import { AppError, asAppError } from '../../../../src/domain/errors.ts';
import { makeReceiveRecording, type ReceivedRecording } from '../../../../src/inbound/http/body/audio-upload.ts';
import { type CheckAttachment, makeReceiveAttachments } from '../../../../src/inbound/http/body/form-files.ts';
import { JSON_BODY_LIMITS, readJsonBody } from '../../../../src/inbound/http/body/json-body.ts';
import type { FormPace } from '../../../../src/inbound/http/body/multipart.ts';
import { makeUploadSlots } from '../../../../src/inbound/http/body/upload-slots.ts';
import { watchClient } from '../../../../src/inbound/http/server/client-signal.ts';
import { type ErrorFamily, sendError } from '../../../../src/inbound/http/server/error-response.ts';
import { HTTP_LIMITS, type HttpLimits, makeHttpServer } from '../../../../src/inbound/http/server/http-server.ts';
import type { LingerLimits } from '../../../../src/inbound/http/server/linger.ts';
import { makeRequestGate } from '../../../../src/inbound/http/server/request-gate.ts';
import { openSpool } from '../../../../src/outbound/files/spool.ts';

export type DoorOptions = {
  readonly limits?: Partial<HttpLimits>;
  readonly linger?: LingerLimits;
  readonly pace?: FormPace;
  readonly jsonTimeoutMs?: number;
  readonly maxFiles?: number;
  readonly maxFileBytes?: number;
  readonly maxRecordingBytes?: number;
  readonly checkAttachment?: CheckAttachment;
  /** A fake of the speech vendor: it reads the recording and returns a result. */
  readonly listen?: (upload: ReceivedRecording, signal: AbortSignal) => Promise<unknown>;
  readonly addRoutes?: (app: Express) => void;
};

export type Door = {
  readonly port: number;
  readonly url: (path: string) => string;
  readonly server: Server;
  /** Every error so far, in order, including those after the client has disconnected. */
  readonly failures: readonly AppError[];
  readonly filesLeft: () => Promise<readonly string[]>;
  readonly uploadsInFlight: () => number;
  readonly close: () => Promise<void>;
};

const ORGANIZATION = 'clinic';

export const WAV_HEAD = Buffer.from('RIFF....WAVE');
export const PDF_HEAD = Buffer.from('%PDF-1.7\n');

export async function openDoor(options: DoorOptions = {}): Promise<Door> {
  const folder = await mkdtemp(join(tmpdir(), 'chartwright-door-'));
  const spool = await openSpool({ folder, minFreeBytes: 0 });
  const failures: AppError[] = [];
  const fileSlots = makeUploadSlots({ max: 8 });
  const soundSlots = makeUploadSlots({ max: 8 });
  const pace = options.pace === undefined ? {} : { pace: options.pace };
  const receiveAttachments = makeReceiveAttachments({
    spool,
    slots: fileSlots,
    checkAttachment: options.checkAttachment ?? checkByHead,
    ...pace,
  });
  const receiveRecording = makeReceiveRecording({
    spool,
    slots: soundSlots,
    checkAudioHead: (head) =>
      startsWith(head, 'RIFF') ? { ok: true, type: 'audio/wav' } : { ok: false, reason: 'unsupported audio format' },
    ...(options.maxRecordingBytes !== undefined && { maxBytes: options.maxRecordingBytes }),
    ...pace,
  });

  const app = express();
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(makeRequestGate());
  options.addRoutes?.(app);

  const answer =
    (work: (req: Request, signal: AbortSignal) => Promise<unknown>) => async (req: Request, res: Response) => {
      const client = watchClient(req, res);
      try {
        res.json(await work(req, client.signal));
      } finally {
        client.stop();
      }
    };
  app.get('/items/:id', (req, res) => {
    res.json({ id: req.params['id'], query: req.query });
  });
  app.post('/refused', () => {
    throw new AppError('unauthorized', 'The API key is missing or invalid');
  });
  app.post(
    '/diagnose/json',
    answer((req, signal) => {
      const timeoutMs = options.jsonTimeoutMs ?? JSON_BODY_LIMITS.timeoutMs;
      return readJsonBody(req, { ...JSON_BODY_LIMITS, timeoutMs, signal });
    }),
  );
  app.post(
    '/diagnose/form',
    answer(async (req, signal) => {
      const { maxFiles = 3, maxFileBytes = 100_000 } = options;
      const form = await receiveAttachments(req, {
        organization: ORGANIZATION,
        limits: { maxFiles, maxFileBytes },
        signal,
      });
      const files = await Promise.all(
        form.attachments.map(async ({ type, sizeBytes, open }) => ({
          type,
          sizeBytes,
          digest: await digestOf(open()),
        })),
      );
      await form.dispose();
      return { fields: Object.fromEntries(form.fields), files };
    }),
  );
  app.post(
    '/transcribe',
    answer(async (req, signal) => {
      const upload = await receiveRecording(req, { organization: ORGANIZATION, signal });
      try {
        return await (options.listen ?? listenToAll)(upload, signal);
      } finally {
        await upload.dispose();
      }
    }),
  );
  app.use((_req, _res, next) => next(new AppError('notFound', 'There is nothing here')));
  const answerFailure: ErrorRequestHandler = (thrown, req, res, _next) => {
    failures.push(asAppError(thrown));
    sendError(req, res, familyOf(req.path), thrown, options.linger);
  };
  app.use(answerFailure);

  const server = makeHttpServer(app, { ...HTTP_LIMITS, lingerMs: 200, ...options.limits }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: (path) => `http://127.0.0.1:${port}${path}`,
    server,
    failures,
    filesLeft: () => readdir(folder),
    uploadsInFlight: () => fileSlots.inFlight() + soundSlots.inFlight(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await spool.close();
      await rm(folder, { recursive: true });
    },
  };
}

export async function listenToAll({ recording, whole, copy }: ReceivedRecording): Promise<unknown> {
  const digest = await digestOf(recording.open());
  const fields = Object.fromEntries(await whole);
  const again = await copy();
  return {
    type: recording.type,
    isReopenable: recording.isReopenable,
    sizeBytes: recording.sizeBytes,
    digest,
    fields,
    copyDigest: again && (await digestOf(again.open())),
  };
}

export async function digestOf(bytes: AsyncIterable<Uint8Array> | Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  if (bytes instanceof Uint8Array) return hash.update(bytes).digest('hex');
  for await (const piece of bytes) hash.update(piece);
  return hash.digest('hex');
}

const checkByHead: CheckAttachment = async (file) => {
  for await (const head of file.open()) {
    if (startsWith(head, '%PDF')) return { ok: true, type: 'application/pdf' };
    break;
  }
  return { ok: false, reason: 'unsupported file type' };
};

function startsWith(bytes: Uint8Array, text: string): boolean {
  return Buffer.from(bytes).subarray(0, text.length).toString('latin1') === text;
}

function familyOf(path: string): ErrorFamily {
  if (path.startsWith('/diagnose')) return 'diagnosis';
  return path.startsWith('/transcribe') ? 'transcription' : 'ops';
}
