/**
 * The first migration, with which every schema begins. Data directories note it, so that one of an earlier
 * schema is told apart without starting its database.
 */
export const BASELINE = '20261123T0000-roles';
