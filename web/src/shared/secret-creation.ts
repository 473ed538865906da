import type { UseMutationOptions } from '@tanstack/react-query';

/**
 * Makes what is shown only once. The answer is there at once: what is read again afterwards neither delays it nor, when it
 * fails, takes it away. It holds the secret, and goes with the dialog.
 * @param renew reads again what the new thing belongs to
 */
export const secretCreation = <Made, Wanted = void>(
  make: (wanted: Wanted) => Promise<Made>,
  renew: () => unknown,
): UseMutationOptions<Made, Error, Wanted> => ({
  mutationFn: make,
  onSuccess: () => void renew(),
  gcTime: 0,
});
