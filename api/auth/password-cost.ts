/** argon2id with OWASP's floor: 19 MiB, 2 passes, 1 lane. About 20 ms of one core. */
export const PASSWORD_COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** What a stored hash of that cost begins with (the PHC string format). */
export const PRESENT_COST = `$argon2id$v=19$m=${PASSWORD_COST.memoryCost},t=${PASSWORD_COST.timeCost},p=${PASSWORD_COST.parallelism}$`;
