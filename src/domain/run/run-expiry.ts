// What a run says that was held until what was kept of it had to be deleted.
const DAY_MS = 86_400_000;

type Words = { readonly message: string; readonly advice: string };

export function expiredWords(heldMs: number): Words {
  const days = Math.round(heldMs / DAY_MS);
  return {
    message: `Nobody decided about it in ${days} ${days === 1 ? 'day' : 'days'}, and what was kept of it was deleted.`,
    advice:
      'Replay it: it listens and writes again, as long as its recording is still there (one of the chart is there, one that was handed over soon is not). Else document by hand.',
  };
}
