import { createMcpServer, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'

const todos = new Map()
const add = defineCommand({
  name: 'todo-add',
  description: 'Add a todo.',
  input: z.object({ text: z.string().min(1).describe('What to do') }),
  handler: ({ text }) => success({ id: todos.set(todos.size + 1, text).size, text }),
})
const get = defineCommand({
  name: 'todo-get',
  description: 'Show one todo.',
  mutation: false,
  input: z.object({ id: z.number().int() }),
  handler: ({ id }) => (todos.has(id) ? success({ id, text: todos.get(id) }) : failure(notFound(id))),
})
const notFound = (id) => ({ code: 'TODO_NOT_FOUND', message: `No todo ${id}`, suggestion: 'Call todo-add first.' })

const server = createMcpServer({ name: 'todos', version: '1.0.0', commands: [add, get], toolStrategy: 'lazy' })
await server.start()
