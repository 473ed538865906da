/** After so many events the engine of the tests suggests that a workflow goes on as a new run: few fill a run quickly. */
export const EVENTS_OF_A_RUN = 120;
