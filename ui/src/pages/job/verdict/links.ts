// The links and switches that a verdict names, and where the page of the network shows them. Pure.
import type { Verdict } from '../../../api/api-types';

/** A link or switch where time was lost. */
export interface NamedLink { kind: 'link' | 'switch'; name: string; address: string }

/** Resources are named `link leaf1 > spine2`, `switch leaf1`; traffic to a file system adds ` (to MOUNT)`. */
const RESOURCE = /^(link|switch) (.+?)(?: \(to .*\))?$/;

/** Returns the links and switches of a verdict, the costliest suspect's first; the address shows the instant that lost most there. */
export function namedLinks(verdict: Pick<Verdict, 'attribution' | 'interference' | 'job'>): NamedLink[] {
  const disturbed = verdict.interference?.disturbed ?? [];
  const resources = new Set([...verdict.attribution.suspects.flatMap((suspect) => suspect.resources), ...disturbed.map((slice) => slice.resource)]);
  const found = new Map<string, NamedLink>();
  for (const resource of resources) {
    const [, kind, name] = RESOURCE.exec(resource) ?? [];
    if (!name || (kind !== 'link' && kind !== 'switch') || found.has(`${kind} ${name}`)) continue;
    const worst = disturbed.filter((slice) => slice.resource === resource).sort((a, b) => b.seconds - a.seconds)[0];
    const query = new URLSearchParams({ [kind]: name, colour: 'job', from: (verdict.job.start_ns / 1e9).toFixed(3), to: (verdict.job.end_ns / 1e9).toFixed(3) });
    if (worst) query.set('at', ((worst.start_ns + worst.length_ns / 2) / 1e9).toFixed(3));
    found.set(`${kind} ${name}`, { kind, name, address: `/network?${query}` });
  }
  return [...found.values()];
}
