// A transcript: who said what, and when. Speakers are numbered from 0 in the order of their first utterance.

export type Utterance = {
  readonly speaker: number;
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** From 0 to 1: the average over the words. */
  readonly confidence: number;
};

export type Transcript = {
  readonly utterances: readonly Utterance[];
  readonly durationSeconds: number;
  readonly language: string;
};

/** Speaker 0 is shown as "Speaker 1". */
export function speakerLabel(speaker: number): string {
  return `Speaker ${speaker + 1}`;
}

/** The transcript as text: one line per utterance, with its speaker. */
export function speakerLabelledText(transcript: Transcript): string {
  return transcript.utterances.map((said) => `${speakerLabel(said.speaker)}: ${said.text}`).join('\n');
}

/** Renumbers the speakers by their first utterance; the numbers of a vendor may start anywhere and have gaps. */
export function numberSpeakers(vendorSpeakers: readonly (number | undefined)[]): readonly number[] {
  const numbers = new Map<number, number>();
  return vendorSpeakers.map((vendorSpeaker = 0) => {
    const known = numbers.get(vendorSpeaker);
    if (known !== undefined) return known;
    numbers.set(vendorSpeaker, numbers.size);
    return numbers.size - 1;
  });
}
