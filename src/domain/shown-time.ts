// A moment as people read it, wherever no screen of theirs says which clock they use.

/** `2026-03-02 10:00 UTC` */
export function whenOf(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
