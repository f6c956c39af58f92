// The model's answer is not what was asked for: no JSON, or not of the asked form. Says what is wrong with the form, and
// never a word of the answer.

export class BrokenAnswer extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'BrokenAnswer';
  }
}
