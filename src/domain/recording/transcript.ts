// What was said, by whom and when. Speakers are numbered from 0 in the order in which they are first heard.

export type Utterance = {
  readonly speaker: number;
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** 0 to 1: the average over the words. */
  readonly confidence: number;
};

export type Transcript = {
  readonly utterances: readonly Utterance[];
  readonly durationSeconds: number;
  readonly language: string;
};

/** "Speaker 1" is speaker 0: people count from one. */
export function speakerLabel(speaker: number): string {
  return `Speaker ${speaker + 1}`;
}

/** The transcript as text, a line an utterance, each with its speaker. */
export function speakerLabelledText(transcript: Transcript): string {
  return transcript.utterances.map((said) => `${speakerLabel(said.speaker)}: ${said.text}`).join('\n');
}

/** Numbers the vendor's speakers anew, by first speech; a vendor's own numbers may start anywhere and have holes. */
export function numberSpeakers(vendorSpeakers: readonly (number | undefined)[]): readonly number[] {
  const numbers = new Map<number, number>();
  return vendorSpeakers.map((vendorSpeaker = 0) => {
    const known = numbers.get(vendorSpeaker);
    if (known !== undefined) return known;
    numbers.set(vendorSpeaker, numbers.size);
    return numbers.size - 1;
  });
}
