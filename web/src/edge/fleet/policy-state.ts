/** How far a device is with the policy that was set for it. */
export type PolicyState = 'applied' | 'behind' | 'unsaid';

interface Revisions {
  readonly revision: number;
  readonly applied_revision: number | null;
}

export function policyState({ revision, applied_revision: applied }: Revisions): PolicyState {
  if (applied === null) return 'unsaid';
  return applied < revision ? 'behind' : 'applied';
}
