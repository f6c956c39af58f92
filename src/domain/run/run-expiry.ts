// The message of a run that was held for longer than its results may be stored.
const DAY_MS = 86_400_000;

type Words = { readonly message: string; readonly advice: string };

export function expiryMessage(heldMs: number): Words {
  const days = Math.round(heldMs / DAY_MS);
  return {
    message: `No decision was made within ${days} ${days === 1 ? 'day' : 'days'}, so the results of the run were deleted.`,
    advice:
      'Replay the run if its recording still exists: one in the chart does, an uploaded one is deleted soon. Otherwise document by hand.',
  };
}
