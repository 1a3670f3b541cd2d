// The schemas of the settings about the environment of servers.

import { z } from 'zod'

/** Names of variables, without globs. */
export const variableNames = z.array(z.string().regex(/^[^=\s*?]+$/, 'the name of a variable'))

/** The name of a variable for which each person has a value, as in `${person.NAME}`. */
export const personalName = z.string().regex(/^[A-Za-z_]\w*$/, 'the name of a variable')

/** True, false, or names and globs such as `AWS_*`. */
export const inheritEnvSchema = z.union([
  z.boolean(),
  z.array(z.string().regex(/^[^=\s]+$/, "the name of a variable, or a glob such as 'AWS_*'")),
])
