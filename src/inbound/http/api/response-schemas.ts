// The answers of the six endpoints, for the OpenAPI document and for tests that validate answers.
import { z } from 'zod';
import { CALLBACK_STATES } from '../../../domain/access/callback.ts';
import { JOB_STATUSES, LONG_OPERATIONS } from '../../../domain/access/job.ts';
import { STATEMENT_KINDS, VERDICTS } from '../../../domain/note/check-report.ts';
import { diagnosisFields, disease, drug, exampleDiagnosis, standardCare, triage } from '../../../wire/diagnosis.ts';
import {
  exampleConversation,
  exampleErrors,
  exampleJob,
  exampleNote,
  examplePartial,
  exampleSession,
} from './examples.ts';

/** The name of the event, repeated in its data: generated clients see only the data. */
function eventType<const Name extends string>(name: Name) {
  return z.literal(name).meta({ description: 'The name of the event.' });
}

export const finalEvent = z.object({ type: eventType('final'), ...diagnosisFields }).meta({
  id: 'FinalEvent',
  description: 'Data of the `final` event: the complete diagnosis. The stream closes after it.',
  examples: [{ type: 'final', ...exampleDiagnosis }],
});

const partialDisease = disease
  .extend({
    standard_care: z.array(standardCare.partial().meta({ id: 'PartialStandardCare' })),
    drugs: z.array(drug.partial().meta({ id: 'PartialDrug' })),
  })
  .partial()
  .meta({ id: 'PartialDisease' });

export const partialEvent = z
  .object({
    type: eventType('partial'),
    diagnosis: z
      .object({ diseases: z.array(partialDisease) })
      .partial()
      .optional(),
    triage: triage.partial().optional(),
  })
  .meta({
    id: 'PartialEvent',
    description: 'Data of a `partial` event: the diagnosis so far. Any field may still be absent.',
    examples: [{ type: 'partial', ...examplePartial }],
  });

export const streamSessionResponse = z
  .object({
    sessionId: z.string().meta({ description: 'Identifies the stream session; valid for 10 minutes and one use.' }),
    streamUrl: z.string().meta({ description: 'Where to open the stream, relative to the base address.' }),
    eventSourceUrl: z.string().meta({
      description:
        'The same with a ticket, which is valid instead of the key for one connection: for an `EventSource` in a browser, which sends no headers of its own.',
    }),
  })
  .meta({ id: 'StreamSession', examples: [exampleSession] });

const jobTime = z.iso.datetime();
export const jobResponse = z
  .object({
    id: z.uuid(),
    status: z.enum(JOB_STATUSES).meta({
      description: '`failed`: the status of the result is 400 or higher. `cancelled`: by DELETE; it has no result.',
    }),
    operation: z.enum(LONG_OPERATIONS),
    url: z.string().meta({ description: 'Where to look again, relative to the base address.' }),
    createdAt: jobTime,
    startedAt: jobTime.optional(),
    endedAt: jobTime.optional(),
    expiresAt: jobTime.optional().meta({ description: 'The time at which the job and its result are deleted.' }),
    callback: z
      .enum(CALLBACK_STATES)
      .optional()
      .meta({ description: 'Of the call-back, if one was asked for; `given-up` after a day.' }),
    result: z
      .object({
        status: z.int().meta({ description: 'The HTTP status that a client that waits would have got.' }),
        headers: z.record(z.string(), z.string()).optional().meta({ description: 'Of the check of a note.' }),
        body: z.unknown().meta({ description: 'The body that a client that waits would have got.' }),
      })
      .optional(),
  })
  .meta({ id: 'Job', examples: [exampleJob] });

export const noteCheck = z
  .object({
    statements: z
      .array(
        z.object({
          section: z.string().meta({ description: 'A section’s key, `title`, or `dynamic_fields.<name>`.' }),
          text: z.string().meta({ description: 'The words of the note.' }),
          kind: z.enum(STATEMENT_KINDS),
          verdict: z.enum(VERDICTS).meta({
            description:
              '`contradicted`: the opposite was said, or another value of the same thing. `misplaced`: said elsewhere than the note names. `conflict`: the chart says otherwise.',
          }),
          effect: z.enum(['none', 'mark', 'hold']).meta({
            description: 'What a run with the default limits does: nothing, mark the statement, or hold the note.',
          }),
          said: z
            .array(
              z.object({
                message: z.int().min(0).meta({ description: 'Its index in the conversation of the same recording.' }),
                startSeconds: z.number().min(0),
              }),
            )
            .meta({
              description:
                'Where it was said, or the opposite; of an unsupported one, where the note says that it was. May be empty.',
            }),
          by: z.literal('verifier').optional().meta({
            description: 'The second check has marked the whole statement. Absent: the first one.',
          }),
        }),
      )
      .meta({ description: 'What the note claims, as it was looked for in the recording.' }),
    missing: z
      .array(
        z.object({
          kind: z.enum(STATEMENT_KINDS),
          text: z.string().meta({ description: 'The words of the recording.' }),
          message: z.int().min(0).meta({ description: 'Its index in the conversation of the same recording.' }),
          startSeconds: z.number().min(0),
        }),
      )
      .meta({ description: 'Acts, results and dangers that were said, and that no statement of the note has.' }),
    verifier: z
      .object({
        model: z.string(),
        outcome: z.enum(['checked', 'failed']).meta({
          description:
            '`failed`: the second check was not to be had in time. The statements are those of the first one.',
        }),
        unjudged: z.int().min(1).optional().meta({
          description: 'The number of statements on which it gave no verdict that holds.',
        }),
      })
      .optional()
      .meta({ description: 'The second check, by a model; absent if none is configured.' }),
  })
  .meta({ id: 'NoteCheck' });

export const noteResponse = z
  .object({
    note: z.object({
      title: z.string(),
      sections: z
        .array(
          z
            .object({
              key: z.string().meta({ description: 'Name in upper case with underscores, e.g. SUBJECTIVE.' }),
              title: z.string(),
              text: z.string(),
            })
            .meta({ id: 'NoteSection' }),
        )
        .meta({ description: 'Exactly the sections of the template, in their order.' }),
    }),
    dynamic_fields: z.record(z.string(), z.string()).optional().meta({
      description: 'Present if a custom template defines dynamic fields.',
    }),
    check: noteCheck.optional().meta({ description: 'Present if the request has `Prefer: include=check`.' }),
  })
  .meta({ id: 'TranscribedNote', examples: [exampleNote] });

const message = z
  .object({
    id: z.string(),
    speaker: z.int().min(0).meta({ description: 'Number of the speaker, from 0, in the order of their first words.' }),
    speaker_label: z.string().meta({ description: '"Speaker 1" is speaker 0.' }),
    text: z.string(),
    start_time: z.number().min(0).optional().meta({ description: 'Seconds; present with include_timestamps.' }),
    end_time: z.number().min(0).optional().meta({ description: 'Seconds; present with include_timestamps.' }),
    confidence: z.number().min(0).max(1).optional().meta({ description: 'Present with include_timestamps.' }),
  })
  .meta({ id: 'ConversationMessage' });

export const conversationResponse = z
  .object({
    conversation: z.object({
      messages: z.array(message).meta({ description: 'In chronological order.' }),
      metadata: z.object({
        total_duration: z.number().min(0).meta({ description: 'Seconds of audio.' }),
        total_messages: z.int().min(0),
        speaker_count: z.int().min(0),
        language: z.string(),
      }),
    }),
  })
  .meta({ id: 'Conversation', examples: [exampleConversation] });

export const errorResponse = z
  .object({
    statusCode: z.int().min(400).max(599),
    message: z.union([z.string(), z.array(z.string())]).meta({
      description: 'One message, or one entry per validation failure.',
    }),
    error: z.string().optional().meta({ description: 'The name of the status; absent with 401.' }),
  })
  .meta({ id: 'Error', examples: Object.values(exampleErrors) });

export const errorEvent = z
  .object({ type: eventType('error'), statusCode: z.int().min(400).max(599), message: z.string() })
  .meta({
    id: 'ErrorEvent',
    description: 'Data of an `error` event. The stream closes after it.',
    examples: [{ type: 'error', statusCode: 500, message: 'The diagnosis could not be completed' }],
  });

export const diagnosisEvent = z.discriminatedUnion('type', [partialEvent, finalEvent, errorEvent]).meta({
  id: 'DiagnosisEvent',
  description: 'Data of one event of a stream: any number of `partial`, then one `final` or one `error`.',
});
