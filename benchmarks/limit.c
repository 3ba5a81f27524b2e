/* The same work in plain C over the same integer tables: how fast it could be.

   bench.py compiles this file (-O3, contraction off as in Numba, so that results are
   bit-identical) and calls it through ctypes. Integers are int32, numbers are double.
   Names as in ttt_lib: n states, A cells, count[s] legal moves of position s, packed in
   action[s * A + i] and successor[s * A + i]. */

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct { /* an MDP as ttt_lib.mdp packs it */
    int32_t n;
    const int32_t *first, *indptr, *successor;
    const double *probability, *reward;
} mdp;

typedef struct { /* NumPy's default generator, PCG64, to play the same games */
    uint64_t high, low, increment_high, increment_low;
} pcg64;

/* Exact win, draw and loss */

void win_draw_loss(int32_t n, int32_t A, const double *first, const double *second,
                   const int32_t *to_move, const int32_t *outcome,
                   const int32_t *count, const int32_t *action,
                   const int32_t *successor, double *probability)
{
    for (int32_t s = n - 1; s >= 0; s--) {
        const double *policy = (to_move[s] == 1 ? first : second) + s * A;
        double sum[3] = {0, 0, 0};
        if (count[s] == 0)
            sum[1 - outcome[s]] = 1;
        for (int32_t i = s * A; i < s * A + count[s]; i++)
            for (int k = 0; k < 3; k++)
                sum[k] += policy[action[i]] * probability[3 * successor[i] + k];
        for (int k = 0; k < 3; k++)
            probability[3 * s + k] = sum[k];
    }
}

/* Dynamic programming */

static inline double backup(const mdp *m, int32_t pair, const double *V, double gamma)
{
    double expected = 0;
    for (int32_t i = m->indptr[pair]; i < m->indptr[pair + 1]; i++)
        expected += m->probability[i] * V[m->successor[i]];
    return m->reward[pair] + gamma * expected;
}

static inline double best_backup(const mdp *m, int32_t s, const double *V, double gamma)
{
    double value = -INFINITY;
    for (int32_t pair = m->first[s]; pair < m->first[s + 1]; pair++) {
        double q = backup(m, pair, V, gamma);
        value = q > value ? q : value;
    }
    return value;
}

void optimal_values(const mdp *m, double gamma, double *V)
{
    for (int32_t s = m->n - 1; s >= 0; s--)
        V[s] = best_backup(m, s, V, gamma);
}

/* Leaves the values in V and the greedy policy, ties shared; returns the sweeps. */
int32_t value_iteration(const mdp *m, double gamma, double theta, double tie,
                        double *V, double *new, double *policy)
{
    int32_t sweeps = 0;
    double largest = INFINITY;
    memset(V, 0, m->n * sizeof *V);
    while (largest > theta) {
        largest = 0;
        for (int32_t s = 0; s < m->n; s++) {
            new[s] = best_backup(m, s, V, gamma);
            double change = fabs(new[s] - V[s]);
            largest = change > largest ? change : largest;
        }
        memcpy(V, new, m->n * sizeof *V);
        sweeps++;
    }
    for (int32_t s = 0; s < m->n; s++) {
        double best = -INFINITY;
        int32_t ties = 0;
        for (int32_t pair = m->first[s]; pair < m->first[s + 1]; pair++) {
            policy[pair] = backup(m, pair, V, gamma);
            best = policy[pair] > best ? policy[pair] : best;
        }
        for (int32_t pair = m->first[s]; pair < m->first[s + 1]; pair++)
            ties += policy[pair] >= best - tie;
        for (int32_t pair = m->first[s]; pair < m->first[s + 1]; pair++)
            policy[pair] = policy[pair] >= best - tie ? 1.0 / ties : 0;
    }
    return sweeps;
}

/* Boards too big for tables: by base-3 code, with each half's masks and its surplus of
   first marks. last[marks] is -1 without a line, else how many marks could close it. */

void solve_codes(int32_t A, int32_t width, int32_t height, const int32_t *powers,
                 const int32_t *last, const int32_t *low_first,
                 const int32_t *low_second, const int32_t *low_more,
                 const int32_t *high_first, const int32_t *high_second,
                 const int32_t *high_more, int8_t *value)
{
    memset(value, -128, (size_t)width * height);
    for (int32_t row = height - 1; row >= 0; row--)
        for (int32_t column = width - 1; column >= 0; column--) {
            int32_t more = high_more[row] + low_more[column];
            if (more < 0 || more > 1)
                continue;
            int32_t first = high_first[row] | low_first[column];
            int32_t second = high_second[row] | low_second[column];
            int32_t code = row * width + column;
            int32_t moved = last[more ? first : second];
            int32_t waits = last[more ? second : first];
            int32_t mover = more ? -1 : 1, step = more ? 2 : 1, best = -2;
            if (moved == 0 || waits >= 0)
                continue;
            if (moved > 0)
                value[code] = -mover;
            else {
                for (int32_t a = 0; a < A && best < 1; a++)
                    if (!((first | second) >> a & 1)) {
                        int32_t worth = mover * value[code + step * powers[a]];
                        best = worth > best ? worth : best;
                    }
                value[code] = best > -2 ? mover * best : 0;
            }
        }
}

/* The value of weights w on both sides against the best response, over n symmetry
   classes of boards: after[s * A + a] is the class after a move, -1 if it is illegal.
   right and counts: moves that keep the value, and positions, of all unfinished ones and
   of those where some move is wrong. */

void evaluate_weights(int32_t n, int32_t A, int32_t F, const int32_t *positions,
                      const int32_t *to_move, const int32_t *exact,
                      const int32_t *after, const double *x, const double *w,
                      double tie, double *worth, double *V, double *right,
                      double *counts)
{
    right[0] = right[1] = counts[0] = counts[1] = 0;
    for (int32_t s = n - 1; s >= 0; s--) {
        const int32_t *next = after + (int64_t)s * A;
        int32_t own = to_move[s] == 1 ? 0 : 1, moves = 0, wrong = 0, ties = 0, good = 0;
        double largest = -INFINITY, best = -INFINITY, total = 0;
        for (int32_t a = 0; a < A; a++)
            if (next[a] >= 0) {
                double q = worth[next[a]], v = to_move[s] * V[2 * next[a] + 1 - own];
                largest = q > largest ? q : largest;
                best = v > best ? v : best;
                wrong += exact[next[a]] != exact[s];
                moves++;
            }
        if (moves == 0) {
            worth[s] = exact[s] != 0;
            V[2 * s] = V[2 * s + 1] = exact[s];
            continue;
        }
        for (int32_t a = 0; a < A; a++)
            if (next[a] >= 0 && worth[next[a]] >= largest - tie) {
                total += V[2 * next[a] + own];
                good += exact[next[a]] == exact[s];
                ties++;
            }
        worth[s] = 0;
        for (int32_t i = 0; i < F; i++)
            worth[s] += w[i] * x[(int64_t)s * F + i];
        V[2 * s + own] = total / ties;
        V[2 * s + 1 - own] = to_move[s] * best;
        for (int32_t i = 0; i <= (wrong > 0); i++) {
            right[i] += (double)positions[s] * good / ties;
            counts[i] += positions[s];
        }
    }
}

/* Searches; each adds the nodes it visits to *nodes and returns the value */

int32_t minimax_on_tables(int32_t A, const int32_t *count, const int32_t *successor,
                          const int32_t *outcome, int32_t s, int32_t player,
                          int32_t *nodes)
{
    ++*nodes;
    if (count[s] == 0)
        return outcome[s];
    int32_t best = -2 * player;
    for (int32_t i = s * A; i < s * A + count[s]; i++) {
        int32_t value = minimax_on_tables(A, count, successor, outcome, successor[i],
                                          -player, nodes);
        if (player * value > player * best)
            best = value;
    }
    return best;
}

static int owns_line(const int32_t *board, int32_t player, const int32_t *lines,
                     int32_t L, int32_t k)
{
    for (const int32_t *line = lines; line < lines + L * k; line += k) {
        int32_t length = 0;
        while (length < k && board[line[length]] == player)
            length++;
        if (length == k)
            return 1;
    }
    return 0;
}

int32_t minimax(int32_t A, int32_t L, int32_t k, const int32_t *lines, int32_t *board,
                int32_t player, int32_t *nodes)
{
    ++*nodes;
    if (owns_line(board, -player, lines, L, k))
        return -player;
    int32_t best = -2 * player;
    for (int32_t a = 0; a < A; a++)
        if (board[a] == 0) {
            board[a] = player;
            int32_t value = minimax(A, L, k, lines, board, -player, nodes);
            board[a] = 0;
            if (player * value > player * best)
                best = value;
        }
    return best == -2 * player ? 0 : best;
}

int32_t alpha_beta(int32_t A, int32_t L, int32_t k, const int32_t *lines,
                   const int32_t *order, int32_t *board, int32_t player,
                   int32_t alpha, int32_t beta, int32_t *nodes)
{
    ++*nodes;
    if (owns_line(board, -player, lines, L, k))
        return -player;
    int32_t best = -2 * player;
    for (int32_t i = 0; i < A && alpha < beta; i++)
        if (board[order[i]] == 0) {
            board[order[i]] = player;
            int32_t value = alpha_beta(A, L, k, lines, order, board, -player, alpha,
                                       beta, nodes);
            board[order[i]] = 0;
            if (player * value > player * best)
                best = value;
            if (player == 1 && best > alpha)
                alpha = best;
            if (player == -1 && best < beta)
                beta = best;
        }
    return best == -2 * player ? 0 : best;
}

/* Sampled games */

static inline double next_double(pcg64 *rng) /* [O'Neill 2014], XSL-RR 128/64 */
{
    const unsigned __int128 multiplier =
        (unsigned __int128)2549297995355413924u << 64 | 4865540595714422341u;
    unsigned __int128 state = (unsigned __int128)rng->high << 64 | rng->low;
    state = state * multiplier +
            ((unsigned __int128)rng->increment_high << 64 | rng->increment_low);
    rng->high = state >> 64;
    rng->low = state;
    uint64_t mixed = rng->high ^ rng->low;
    int turn = rng->high >> 58;
    mixed = mixed >> turn | mixed << (-turn & 63);
    return (mixed >> 11) / 9007199254740992.0;
}

void play_games(int32_t A, const double *policy, const int32_t *count,
                const int32_t *action, const int32_t *successor,
                const int32_t *outcome, int32_t games, pcg64 *rng, int32_t *counts)
{
    counts[0] = counts[1] = counts[2] = 0;
    for (int32_t game = 0; game < games; game++) {
        int32_t s = 0;
        while (count[s] > 0) {
            double threshold = next_double(rng);
            int32_t i = s * A, last = s * A + count[s] - 1;
            while (i < last && threshold >= policy[s * A + action[i]])
                threshold -= policy[s * A + action[i++]];
            s = successor[i];
        }
        counts[1 - outcome[s]]++;
    }
}

/* Learning in self-play, with the counts that a learner keeps */

/* Of the moves worth[0], …, worth[n - 1]: the best, ties equally likely. */
static inline int32_t best(int32_t n, const double *worth, double tie, pcg64 *rng)
{
    double largest = -INFINITY;
    int32_t ties = 0, choice = 0;
    for (int32_t i = 0; i < n; i++)
        if (worth[i] > largest + tie) {
            largest = worth[i];
            ties = 1;
            choice = i;
        } else if (worth[i] >= largest - tie) {
            ties++;
            if ((int32_t)(next_double(rng) * ties) == 0)
                choice = i;
        }
    return choice;
}

static inline int32_t explore(int32_t n, int32_t greedy, double epsilon, pcg64 *rng)
{
    return next_double(rng) < epsilon ? (int32_t)(next_double(rng) * n) : greedy;
}

void q_learning(int32_t n, int32_t A, const int32_t *to_move, const int32_t *outcome,
                const int32_t *count, const int32_t *action, const int32_t *successor,
                double alpha, double epsilon, double gamma, double tie, int32_t games,
                pcg64 *rng, double *Q, int64_t *updates, int64_t *visits)
{
    int32_t position[A + 1], pair[A];
    double worth[A];
    memset(Q, 0, n * A * sizeof *Q);
    memset(updates, 0, n * A * sizeof *updates);
    memset(visits, 0, n * sizeof *visits);
    for (int32_t game = 0; game < games; game++) {
        int32_t s = 0, T = 0;
        for (; count[s] > 0; T++) {
            for (int32_t i = 0; i < count[s]; i++)
                worth[i] = Q[s * A + action[s * A + i]];
            int32_t i = best(count[s], worth, tie, rng);
            i = explore(count[s], i, epsilon, rng);
            visits[s]++;
            position[T] = s;
            pair[T] = s * A + action[s * A + i];
            s = successor[s * A + i];
        }
        position[T] = s;
        for (int32_t t = 0; t < T; t++) {
            int32_t s_next = position[t + 2 < T ? t + 2 : T];
            double largest = count[s_next] > 0 ? -INFINITY : 0;
            for (int32_t i = s_next * A; i < s_next * A + count[s_next]; i++) {
                double q = Q[s_next * A + action[i]];
                largest = q > largest ? q : largest;
            }
            double r = to_move[position[t]] * outcome[s_next];
            updates[pair[t]]++;
            Q[pair[t]] += alpha * (r + gamma * largest - Q[pair[t]]);
        }
    }
}

/* TD(0) on afterstates, from all moves */
void td(int32_t n, int32_t A, const int32_t *to_move, const int32_t *outcome,
        const int32_t *count, const int32_t *action, const int32_t *successor,
        double alpha, double epsilon, double gamma, double tie, int32_t games,
        pcg64 *rng, double *V, int64_t *updates, int64_t *visits)
{
    int32_t position[A + 1];
    double worth[A];
    memset(V, 0, n * sizeof *V);
    memset(updates, 0, n * sizeof *updates);
    memset(visits, 0, n * sizeof *visits);
    for (int32_t game = 0; game < games; game++) {
        int32_t s = 0, T = 0;
        for (; count[s] > 0; T++) {
            for (int32_t i = 0; i < count[s]; i++) {
                int32_t s_next = successor[s * A + i];
                worth[i] = to_move[s] * outcome[s_next] + V[s_next];
            }
            int32_t i = best(count[s], worth, tie, rng);
            i = explore(count[s], i, epsilon, rng);
            visits[s]++;
            position[T] = s;
            s = successor[s * A + i];
        }
        position[T] = s;
        for (int32_t t = 0; t + 1 < T; t++) {
            int32_t s_next = position[t + 3 < T ? t + 3 : T], left = position[t + 1];
            double r = to_move[position[t]] * outcome[s_next];
            if (t + 2 < T)
                r *= gamma;
            updates[left]++;
            V[left] += alpha * (r + gamma * V[s_next] - V[left]);
        }
    }
}

/* UCT: through[a * M] are the masks of the lines of cell a, -1 where there is none */

static int closes(int64_t marks, const int64_t *through, int32_t M)
{
    for (int32_t i = 0; i < M; i++)
        if ((marks & through[i]) == through[i])
            return 1;
    return 0;
}

static int32_t untried(int32_t A, const int32_t *visits, int64_t free, pcg64 *rng)
{
    int32_t n = 0;
    for (int32_t a = 0; a < A; a++)
        n += (free >> a & 1) && visits[a] == 0;
    if (n == 0)
        return -1;
    int32_t skip = (int32_t)(next_double(rng) * n);
    for (int32_t a = 0;; a++)
        if ((free >> a & 1) && visits[a] == 0 && skip-- == 0)
            return a;
}

static int32_t ucb1(int32_t A, const int32_t *visits, const int32_t *total,
                    int64_t free, double c)
{
    int32_t best = -1, t = 0;
    double bound = -INFINITY;
    for (int32_t a = 0; a < A; a++)
        t += visits[a];
    for (int32_t a = 0; a < A; a++)
        if (free >> a & 1) {
            double u = (double)total[a] / visits[a] + c * sqrt(log(t) / visits[a]);
            if (u > bound)
                best = a, bound = u;
        }
    return best;
}

static int32_t simulate(int32_t A, int32_t M, const int64_t *through, int64_t own,
                        int64_t other, pcg64 *rng)
{
    int32_t cells[64], left = 0, sign = 1;
    for (int32_t a = 0; a < A; a++)
        if (!((own | other) >> a & 1))
            cells[left++] = a;
    while (left) {
        int32_t i = (int32_t)(next_double(rng) * left), a = cells[i];
        cells[i] = cells[--left];
        own |= (int64_t)1 << a;
        if (closes(own, through + a * M, M))
            return sign;
        int64_t mine = own;
        own = other, other = mine, sign = -sign;
    }
    return 0;
}

void uct(int32_t A, int32_t M, const int64_t *through, int32_t playouts, double c,
         int32_t rows, pcg64 *rng, int32_t *child, int32_t *visits, int32_t *total)
{
    int64_t everywhere = ((int64_t)1 << A) - 1;
    int32_t nodes = 1, node_of[64], action_of[64];
    memset(child, 0, sizeof(int32_t) * rows * A);
    memset(visits, 0, sizeof(int32_t) * rows * A);
    memset(total, 0, sizeof(int32_t) * rows * A);
    for (int32_t n = 0; n < playouts; n++) {
        int64_t own = 0, other = 0;
        int32_t node = 0, depth = 0, reward = 0, selecting = 1;
        while (selecting) {
            int64_t free = everywhere & ~(own | other);
            int32_t a = untried(A, visits + node * A, free, rng);
            selecting = a < 0;
            if (selecting)
                a = ucb1(A, visits + node * A, total + node * A, free, c);
            node_of[depth] = node, action_of[depth++] = a;
            own |= (int64_t)1 << a;
            if (closes(own, through + a * M, M)) {
                reward = 1;
                break;
            }
            if ((own | other) == everywhere)
                break;
            int64_t mine = own;
            own = other, other = mine;
            if (selecting)
                node = child[node * A + a];
            else {
                child[node * A + a] = nodes++;
                reward = -simulate(A, M, through, own, other, rng);
            }
        }
        while (depth--) {
            visits[node_of[depth] * A + action_of[depth]]++;
            total[node_of[depth] * A + action_of[depth]] += reward;
            reward = -reward;
        }
    }
}
