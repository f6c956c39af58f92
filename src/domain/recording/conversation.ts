// A transcript in the form of the service interface.
import { speakerLabel, type Transcript } from './transcript.ts';

export type Message = {
  readonly id: string;
  readonly speaker: number;
  readonly speaker_label: string;
  readonly text: string;
  readonly start_time?: number;
  readonly end_time?: number;
  readonly confidence?: number;
};

export type Conversation = {
  readonly messages: readonly Message[];
  readonly metadata: {
    readonly total_duration: number;
    readonly total_messages: number;
    readonly speaker_count: number;
    readonly language: string;
  };
};

type ConversationParts = {
  readonly transcript: Transcript;
  readonly includeTimestamps: boolean;
  readonly makeId: () => string;
};

/** For each message its utterance: messages are in the order in which they begin. */
export function messageOrder({ utterances }: Pick<Transcript, 'utterances'>): readonly number[] {
  const startOf = (utterance: number) => utterances[utterance]?.startSeconds ?? 0;
  return [...utterances.keys()].toSorted((a, b) => startOf(a) - startOf(b));
}

export function toConversation({ transcript, includeTimestamps, makeId }: ConversationParts): Conversation {
  const inOrder = messageOrder(transcript).flatMap((utterance) => transcript.utterances[utterance] ?? []);
  const messages = inOrder.map(
    (said): Message => ({
      id: makeId(),
      speaker: said.speaker,
      speaker_label: speakerLabel(said.speaker),
      text: said.text,
      ...(includeTimestamps && {
        start_time: said.startSeconds,
        end_time: said.endSeconds,
        confidence: said.confidence,
      }),
    }),
  );
  return {
    messages,
    metadata: {
      total_duration: transcript.durationSeconds,
      total_messages: messages.length,
      speaker_count: new Set(messages.map((message) => message.speaker)).size,
      language: transcript.language,
    },
  };
}
