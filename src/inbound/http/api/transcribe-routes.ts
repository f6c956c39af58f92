// The two transcription endpoints, POST /transcribe and POST /transcribe/conversation (docs/service-interface.md). The recording
// is forwarded to the speech vendor while it arrives.
import { Router } from 'express';
import type { Language } from '../../../domain/language.ts';
import { chooseTemplate } from '../../../domain/note/template.ts';
import { present } from '../../../domain/present.ts';
import { toConversation } from '../../../domain/recording/conversation.ts';
import type { Transcript } from '../../../domain/recording/transcript.ts';
import type { TranscribeRecording } from '../../../flows/service/transcribe-recording.ts';
import type { WriteCheckedNote } from '../../../flows/service/write-checked-note.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import type { ReceivedRecording, ReceiveRecording } from '../body/audio-upload.ts';
import { validate } from '../body/validate.ts';
import type { LongCall } from '../server/api-call.ts';
import type { ApiOperation } from '../server/api-operation.ts';
import type { AsyncRequests } from '../server/async-requests.ts';
import { CHECK_HEADER, checkHeader, checkMember, INCLUDE_CHECK, isCheckAsked } from './check-answer.ts';
import { conversationFields, transcribeFields } from './schemas.ts';

type TranscribeRouteParts = {
  readonly apiOperation: ApiOperation;
  readonly asyncRequests: Pick<AsyncRequests, 'offer'>;
  readonly transcribeRecording: TranscribeRecording;
  readonly writeCheckedNote: WriteCheckedNote;
  readonly receiveRecording: ReceiveRecording;
  readonly runtime: Runtime;
};

type Fields = ReadonlyMap<string, string>;
type FormReading<Form> = {
  /** Throws `invalidRequest` if the form's fields break a rule. */
  readonly readForm: (fields: Fields) => Form;
};

export function makeTranscribeRouter(parts: TranscribeRouteParts): Router {
  const { apiOperation, asyncRequests, transcribeRecording, writeCheckedNote, receiveRecording, runtime } = parts;
  const router = Router();

  async function transcribe<Form extends { readonly language: Language }>(
    call: LongCall,
    reading: FormReading<Form>,
  ): Promise<{ readonly transcript: Transcript; readonly form: Form }> {
    const { req, signal, caller } = call;
    const upload = await receiveRecording(req, { organization: caller.organization, signal });
    try {
      return await transcribeUpload(call, upload, reading);
    } finally {
      await upload.dispose();
    }
  }

  /** Starts with the fields before the file. If a later field changes the language, it starts again from the copy. */
  async function transcribeUpload<Form extends { readonly language: Language }>(
    { meter, signal }: LongCall,
    upload: ReceivedRecording,
    { readForm }: FormReading<Form>,
  ): Promise<{ readonly transcript: Transcript; readonly form: Form }> {
    const early = readForm(upload.recording.isReopenable ? await upload.whole : upload.fieldsSoFar);
    transcribeRecording.ensureConfigured();
    const change = new AbortController();
    const first = transcribeRecording.transcribe(
      { request: { recording: upload.recording, language: early.language }, meter },
      AbortSignal.any([signal, change.signal]),
    );
    try {
      // The first failure ends the request, so that a failing vendor is reported before the upload is complete.
      const form = readForm(await Promise.race([upload.whole, first.then(() => upload.finish())]));
      const copy = form.language === early.language ? undefined : await upload.copy();
      if (copy === undefined) return { transcript: await first, form };
      change.abort();
      const request = { recording: copy, language: form.language };
      return { transcript: await transcribeRecording.transcribe({ request, meter }, signal), form };
    } finally {
      change.abort();
    }
  }

  router.post(
    '/transcribe',
    apiOperation(
      'transcribe',
      asyncRequests.offer('transcribe', async (call) => {
        const { transcript, form } = await transcribe(call, {
          readForm: readNoteForm,
        });
        call.describe({ language: form.language, template: form.template.noteType ?? form.template.name });
        const { template, language } = form;
        const { written, ...checked } = await writeCheckedNote(
          { request: { transcript, template, language, organization: call.caller.organization }, meter: call.meter },
          call.signal,
        );
        const { note, dynamicFields } = written;
        const isAsked = isCheckAsked(call.req.get('prefer'));
        const headers = {
          [CHECK_HEADER]: checkHeader(checked),
          ...(isAsked && { 'preference-applied': INCLUDE_CHECK }),
        };
        const check = isAsked ? checkMember(checked, transcript) : undefined;
        return { kind: 'json', status: 200, headers, body: present({ note, dynamic_fields: dynamicFields, check }) };
      }),
    ),
  );

  router.post(
    '/transcribe/conversation',
    apiOperation(
      'transcribe-conversation',
      asyncRequests.offer('transcribe-conversation', async (call) => {
        const { transcript, form } = await transcribe(call, {
          readForm: (fields) => validate(conversationFields, Object.fromEntries(fields)),
        });
        call.describe({ language: form.language });
        const conversation = toConversation({
          transcript: { ...transcript, language: form.language },
          includeTimestamps: form.include_timestamps,
          makeId: runtime.makeUuid,
        });
        return { kind: 'json', status: 200, body: { conversation } };
      }),
    ),
  );

  return router;
}

function readNoteForm(fields: Fields) {
  const form = validate(transcribeFields, Object.fromEntries(fields));
  const template = chooseTemplate({
    noteType: form.note_type,
    template: form.template,
    customTemplate: form.custom_template,
    language: form.language,
  });
  return { language: form.language, template };
}
